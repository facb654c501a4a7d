#include <cstring>

#include "other.hpp"
#include "shapes.hpp"

using namespace shapes;

static unsigned constant() {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < ROUNDS; n++)
        sum += n;
    return sum;
}

static unsigned specialised() {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++)
        sum += repeated(n);
    return sum;
}

static unsigned defaulted() {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++)
        sum += scaled(n);
    return sum;
}

static unsigned overloaded() {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++)
        sum += chosen(n);
    return sum;
}

static unsigned measured(const shape &one) { return one.area() + one.sides(); }

static unsigned overridden() {
    square one;
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++) {
        const shape *any = &one;
        __asm__ volatile("" : "+r"(any));
        sum += measured(*any);
    }
    return sum;
}

static unsigned shadowed() {
    square one;
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++) {
        sum += one.sides();
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static unsigned compared() {
    std::vector<point> points(400);
    for (unsigned n = 0; n < points.size(); n++)
        points[n].x = n * 7919 % 401;
    std::sort(points.begin(), points.end());
    return points.front().x;
}

static unsigned guarded() {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++) {
        guard one{sum};
        one.value += n;
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static unsigned moved() {
    std::vector<item> items;
    for (unsigned n = 0; n < 300; n++)
        items.push_back(item());
    return items.size();
}

static unsigned aliased() {
    numbers found;
    for (unsigned n = 0; n < 2000; n++)
        found.insert(found.end(), n);
    unsigned sum = 0;
    for (unsigned n : found)
        sum += n;
    return sum;
}

template <typename T> unsigned total(const T &one) { return one.value; }

static unsigned found_by_argument() {
    unsigned sum = 0;
    for (unsigned n = 0; n < 3000; n++) {
        sum += total(other::token{n});
        __asm__ volatile("" : "+r"(sum));
    }
    return sum;
}

static const struct {
    const char *name;
    unsigned (*run)();
} BENCHMARKS[] = {
    {"constant", constant},     {"specialised", specialised}, {"defaulted", defaulted},
    {"overloaded", overloaded}, {"overridden", overridden},   {"shadowed", shadowed},
    {"compared", compared},     {"guarded", guarded},         {"moved", moved},
    {"aliased", aliased},       {"found_by_argument", found_by_argument},
};

extern "C" __attribute__((noinline, noclone)) unsigned subject(unsigned (*run)()) { return run(); }

int main(int count, char **arguments) {
    for (const auto &benchmark : BENCHMARKS)
        if (count > 1 && std::strcmp(benchmark.name, arguments[1]) == 0)
            return subject(benchmark.run) == 1;
    return 1;
}
