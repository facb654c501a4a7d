// Addresses: parsed, checked, edited, and in other alphabets.

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ada.h"

static std::vector<std::string> addresses() {
    std::vector<std::string> all;
    for (int i = 0; i < 200; i++) {
        std::string number = std::to_string(i * 7919);
        all.push_back("https://user" + number + ":secret@www.example.org:8080/path/to/../page" + number + "?query=" + number +
                      "&more=a%20b#part" + number);
        all.push_back("http://192.168.0." + std::to_string(i % 256) + "/a/b/c/./d/" + number);
        all.push_back("HTTPS://Example.ORG/With Spaces/" + number + "/\"quoted\"");
    }
    return all;
}

static std::vector<std::string> international_addresses() {
    std::vector<std::string> all;
    for (int i = 0; i < 100; i++) {
        std::string number = std::to_string(i * 7919);
        all.push_back("https://m\u00fcnchen" + number + ".example/stra\u00dfe?" + number);
        all.push_back("https://\u4f8b\u3048" + number + ".example/\u30c6\u30b9\u30c8");
    }
    return all;
}

static size_t parse_all(const std::vector<std::string> &all) {
    size_t length = 0;
    for (const std::string &one : all) {
        auto address = ada::parse<ada::url_aggregator>(one);
        length += address ? address->get_href().size() : 1;
    }
    return length;
}

extern "C" __attribute__((noinline)) size_t subject(std::string_view what, const std::vector<std::string> &all) {
    size_t length = 0;
    if (what == "check") {
        for (const std::string &one : all)
            length += ada::can_parse(one);
        return length;
    }
    if (what == "edit") {
        auto address = ada::parse<ada::url_aggregator>("https://example.org/");
        for (const std::string &one : all) {
            address->set_pathname(one);
            address->set_search(one);
            address->set_hash(one);
            length += address->get_href().size();
        }
        return length;
    }
    return parse_all(all);
}

int main(int count, char **arguments) {
    if (count < 2)
        return 1;
    std::string_view what = arguments[1];
    return subject(what, what == "international" ? international_addresses() : addresses()) == 0;
}
