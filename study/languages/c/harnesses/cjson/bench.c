// A document of records: parsed, printed, and copied.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cJSON.h"

enum { RECORDS = 250, LONGEST = 256 };

static char *document(void) {
    char *text = malloc(RECORDS * LONGEST);
    size_t length = sprintf(text, "[");
    for (int i = 0; i < RECORDS; i++)
        length += sprintf(text + length,
                          "%s\n  {\"id\": %d, \"name\": \"record number %d\", \"price\": %d.%02d, \"tags\": [\"red\", "
                          "\"gr\\u00fcn\", \"a \\\"b\\\" c\\n\"], \"nested\": {\"empty\": null, \"yes\": true, \"no\": false}}",
                          i ? "," : "", i * 7919, i, i * 13 % 977, i * 31 % 100);
    sprintf(text + length, "\n]");
    return text;
}

__attribute__((noinline, noclone)) void subject(const char *what, const char *text, cJSON *tree) {
    if (strcmp(what, "parse") == 0) {
        cJSON_Delete(cJSON_Parse(text));
    } else if (strcmp(what, "print") == 0) {
        free(cJSON_Print(tree));
        free(cJSON_PrintUnformatted(tree));
    } else {
        cJSON *copy = cJSON_Duplicate(tree, 1);
        for (int i = 0; i < RECORDS; i++)
            cJSON_AddItemToObject(cJSON_GetArrayItem(copy, i), "added", cJSON_CreateNumber(i));
        cJSON_Delete(copy);
    }
}

int main(int count, char **arguments) {
    char *text = document();
    cJSON *tree = cJSON_Parse(text);
    if (count < 2 || !tree)
        return 1;
    for (int round = 0; round < 3; round++)
        subject(arguments[1], text, tree);
    cJSON_Delete(tree);
    free(text);
    return 0;
}
