// A document of records: parsed, printed, and searched.

#include <cstring>
#include <string>

#include "tinyxml2.h"

using tinyxml2::XMLDocument;
using tinyxml2::XMLElement;
using tinyxml2::XMLPrinter;

static std::string document() {
    std::string text = "<?xml version=\"1.0\"?>\n<!-- records -->\n<records>\n";
    for (int i = 0; i < 300; i++) {
        std::string number = std::to_string(i * 7919);
        text += "  <record id=\"" + number + "\" name='record &lt;" + number + "&gt;'>\n    <price>" + std::to_string(i % 97) +
                ".25</price><empty/>\n    <text>Some &amp; more text, &#x41; and <![CDATA[ <raw> ]]></text>\n  </record>\n";
    }
    return text + "</records>\n";
}

static int search(const XMLDocument &tree) {
    int sum = 0;
    for (const XMLElement *record = tree.RootElement()->FirstChildElement("record"); record;
         record = record->NextSiblingElement("record")) {
        int id = 0;
        double price = 0;
        record->QueryIntAttribute("id", &id);
        record->FirstChildElement("price")->QueryDoubleText(&price);
        sum += id + static_cast<int>(price) + static_cast<int>(strlen(record->Attribute("name")));
    }
    return sum;
}

extern "C" __attribute__((noinline, noclone)) int subject(const char *what, const std::string &text, XMLDocument &tree) {
    if (strcmp(what, "parse") == 0) {
        XMLDocument parsed;
        return parsed.Parse(text.c_str(), text.size());
    }
    if (strcmp(what, "print") == 0) {
        XMLPrinter printer;
        tree.Print(&printer);
        return printer.CStrSize() == 0;
    }
    int sum = 0;
    for (int round = 0; round < 5; round++)
        sum += search(tree);
    return sum == 0;
}

int main(int count, char **arguments) {
    std::string text = document();
    XMLDocument tree;
    return count < 2 || tree.Parse(text.c_str(), text.size()) || subject(arguments[1], text, tree);
}
