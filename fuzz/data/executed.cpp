#include <string>
#include <vector>

#define SQUARED(value) ((value) * (value))

static const unsigned long LIMIT = 30;

enum Kind { Plain, Wide = 4 };

struct Shape {
    unsigned long width;
    unsigned long height = 2;

    virtual unsigned long weight() const { return width * height; }
};

struct Square : Shape {
    explicit Square(unsigned long side) : Shape{side, side} {}

    unsigned long weight() const override { return SQUARED(width) > LIMIT ? LIMIT : SQUARED(width); }
};

template <typename T> T larger(T first, T second) { return first < second ? second : first; }

static unsigned long helper(unsigned long of) {
    unsigned long sum = 0;
    for (unsigned long step = 0; step < of; step++) {
        if (step % 2 == 0) {
            sum += step;
        } else {
            sum += larger(step, 7ul);
        }
    }
    return sum;
}

int kind_of(const Shape &shape) {
    switch (shape.height) {
    case 1:
        return Plain;
    case 2:
    case 3:
        return helper(shape.width) > 9 ? Wide : Plain;
    default:
        break;
    }
    return -1;
}

unsigned long total(const std::vector<Shape> &shapes) {
    unsigned long sum = 0;
    for (const auto &shape : shapes) {
        sum += shape.weight();
    }
    auto doubled = [&](unsigned long by) { return sum * by; };
    return doubled(2);
}

std::string joined(const std::vector<std::string> &words) {
    std::string text;
    int left = words.size();
    while (left-- > 0) {
        text += words[left];
        text.push_back(',');
    }
    do {
        text.pop_back();
    } while (text.size() > LIMIT);
    return text;
}

unsigned long early(unsigned long of) {
    if (of > LIMIT) {
        return helper(of);
    }
    return helper(of + 1);
}

std::size_t search(const std::vector<unsigned long> &values, unsigned long wanted) {
    std::size_t low = 0, high = values.size();
    while (low < high) {
        std::size_t middle = (low + high) / 2;
        if (values[middle] < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void clear(Shape *first, Shape *second) {
    if (first == second)
        return;
    first->width = helper(second->width);
    second->width = first->weight();
}
