// A document of records: parsed, printed, and searched by XPath.

#include <cstring>
#include <string>

#include "pugixml.hpp"

struct counting_writer : pugi::xml_writer {
    size_t written = 0;
    void write(const void *, size_t size) override { written += size; }
};

static std::string document() {
    std::string text = "<?xml version=\"1.0\"?>\n<!-- records -->\n<records>\n";
    for (int i = 0; i < 600; i++) {
        std::string number = std::to_string(i * 7919);
        text += "  <record id=\"" + number + "\" name='record &lt;" + number + "&gt;'>\n    <price>" + std::to_string(i % 97) +
                ".25</price><empty/>\n    <text>Some &amp; more text, &#x41; and <![CDATA[ <raw> ]]></text>\n  </record>\n";
    }
    return text + "</records>\n";
}

extern "C" __attribute__((noinline, noclone)) int subject(const char *what, const std::string &text, pugi::xml_document &tree) {
    if (strcmp(what, "parse") == 0) {
        pugi::xml_document parsed;
        return !parsed.load_buffer(text.data(), text.size());
    }
    if (strcmp(what, "print") == 0) {
        counting_writer writer;
        tree.save(writer);
        return writer.written == 0;
    }
    size_t found = 0;
    found += tree.select_nodes("/records/record[price > 50]/text").size();
    found += tree.select_nodes("//record[@id='7919']").size();
    found += tree.select_nodes("records/record[contains(@name, '5') and position() mod 3 = 1]").size();
    return found == 0;
}

int main(int count, char **arguments) {
    std::string text = document();
    pugi::xml_document tree;
    return count < 2 || !tree.load_buffer(text.data(), text.size()) || subject(arguments[1], text, tree);
}
