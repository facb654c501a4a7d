#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace shapes {

inline constexpr unsigned ROUNDS = 3000;
inline constexpr unsigned UNUSED_ROUNDS = 5;

template <typename T> struct weight {
    static unsigned of(const T &value) { return static_cast<unsigned>(value); }
};

template <typename T> struct unused_trait {
    static unsigned of(const T &value) { return value; }
};

template <typename T, unsigned Times = 1> unsigned repeated(const T &value) {
    volatile unsigned sum = 0;
    for (unsigned n = 0; n < Times; n++)
        sum += weight<T>::of(value);
    return sum;
}

inline unsigned scaled(unsigned n, unsigned times = 2) {
    volatile unsigned sum = 0;
    for (unsigned i = 0; i < times; i++)
        sum += n;
    return sum;
}

inline unsigned chosen(double n) { return static_cast<unsigned>(n); }

struct shape {
    virtual ~shape() = default;
    virtual unsigned area() const { return 1; }
    unsigned sides() const { return 4; }
};

struct square : shape {
    unsigned side = 3;
};

struct point {
    unsigned x = 0, y = 0;
    bool operator<(const point &other) const { return x < other.x; }
};

struct guard {
    unsigned &value;
};

struct item {
    std::string text = "some text that is too long to be kept in place";
    unsigned key = 0;
};

using numbers = std::vector<unsigned>;
using unused_numbers = std::vector<int>;

inline unsigned unused_function(unsigned n) { return n + UNUSED_ROUNDS; }

} // namespace shapes
