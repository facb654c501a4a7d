class Sums {
public:
    long all() const { return total; }
private:
    long total = 0;
};
static long run(const char *text, int level) { return count(text); }
