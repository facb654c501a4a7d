// Integers, floating-point numbers and strings: formatted.

#include <cstring>
#include <string>

#include "fmt/format.h"

extern "C" __attribute__((noinline, noclone)) size_t subject(const char *what) {
    size_t length = 0;
    char buffer[256];
    for (int i = 1; i <= 4000; i++) {
        if (strcmp(what, "integers") == 0)
            length += fmt::format_to(buffer, "{} {:>12} {:#x} {:08b} {:+d}", i, i * 7919, i, i % 256, -i) - buffer;
        else if (strcmp(what, "floats") == 0)
            length += fmt::format_to(buffer, "{} {:.3f} {:e}", i * 0.1, i / 7.0, i * 1e10) - buffer;
        else
            length += fmt::format("{0:>10}|{1:<12}|{2:^14}|{0}", "left", std::string("text"), what).size();
    }
    return length;
}

int main(int count, char **arguments) { return count < 2 || subject(arguments[1]) == 0; }
