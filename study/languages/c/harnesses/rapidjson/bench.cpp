// A document of records: parsed into a tree, written, and read as events.

#include <cstring>
#include <string>

#include "rapidjson/document.h"
#include "rapidjson/prettywriter.h"
#include "rapidjson/reader.h"
#include "rapidjson/stringbuffer.h"
#include "rapidjson/writer.h"

using namespace rapidjson;

static std::string document() {
    std::string text = "[";
    for (int i = 0; i < 400; i++) {
        std::string number = std::to_string(i);
        text += std::string(i ? "," : "") + "\n  {\"id\": " + std::to_string(i * 7919) + ", \"name\": \"record number " + number +
                "\", \"price\": " + number + ".25e1, \"tags\": [\"red\", \"gr\\u00fcn\", \"a \\\"b\\\" c\\n\"], \"nested\": "
                "{\"empty\": null, \"yes\": true, \"no\": false, \"large\": 12345678901234}}";
    }
    return text + "\n]";
}

extern "C" __attribute__((noinline, noclone)) bool subject(const char *what, const std::string &text, Document &tree) {
    if (strcmp(what, "parse") == 0) {
        Document parsed;
        parsed.Parse<0>(text.c_str());
        return parsed.IsArray();
    }
    if (strcmp(what, "write") == 0) {
        StringBuffer plain, pretty;
        Writer<StringBuffer> writer(plain);
        PrettyWriter<StringBuffer> pretty_writer(pretty);
        tree.Accept(writer);
        tree.Accept(pretty_writer);
        return pretty.GetSize() > plain.GetSize();
    }
    Reader reader;
    StringStream stream(text.c_str());
    BaseReaderHandler<> handler;
    return bool(reader.Parse<0>(stream, handler));
}

int main(int count, char **arguments) {
    std::string text = document();
    Document tree;
    tree.Parse<0>(text.c_str());
    return count < 2 || !tree.IsArray() || !subject(arguments[1], text, tree);
}
