#include <vector>

namespace outer::inner {

template <typename T, int Size = 4>
class Ring : public Base<T> {
public:
    Ring() : items(Size), at(0) { grow(); }
    explicit Ring(const Ring &other) = default;
    ~Ring() { clear(); }
    int size() const { return at; }
    void push(T item, int times = 1);
    int count() const;
    virtual void visit();
    bool operator<(const Ring &other) const { return at < other.at; }
    explicit operator bool() const { return at != 0; }
    static constexpr int kMost = 8;
private:
    std::vector<T> items;
    int at;
};

template <typename T, int Size>
void Ring<T, Size>::push(T item, int times) {
    for (auto &known : items)
        if (known == item) return;
    items.push_back(std::move(item));
    auto *copy = new T(item);
    delete copy;
    this->grow();
}

}  // namespace outer::inner

namespace {
std::string &name(std::string &text) {
    std::sort(text.begin(), text.end(), [&](char a, char b) { return a < b; });
    try {
        text = outer::inner::shown<char>(text);
    } catch (const std::exception &error) {
        throw Failure(error.what());
    }
    return text;
}
}

using Names = std::vector<std::string>;
static_assert(sizeof(int) == 4, "size");
extern "C" int entry(void) { return my_operator(2); }
bool Names::operator()(int a) { return a; }
