// Words that repeat: compressed in two ways, and decompressed.

#include <stdlib.h>
#include <string.h>

#include "lz4.h"
#include "lz4hc.h"

enum { SIZE = 400000, HC_SIZE = 60000 };

static const char *WORDS[] = {"the ", "quick ", "brown ", "fox, ", "jumps ", "over ", "a ", "lazy dog. ", "\n", "0123456789 "};

static void fill(char *text) {
    unsigned state = 1;
    for (int at = 0; at < SIZE;) {
        state = state * 1103515245u + 12345u;
        const char *word = WORDS[state / 65536 % 10];
        for (; *word && at < SIZE; word++)
            text[at++] = *word;
        if (state / 65536 % 17 == 0 && at < SIZE)
            text[at++] = (char)(state / 256);
    }
}

__attribute__((noinline, noclone)) int subject(const char *what, const char *text, const char *packed, int length, char *out) {
    if (strcmp(what, "compress") == 0)
        return LZ4_compress_default(text, out, SIZE, LZ4_COMPRESSBOUND(SIZE));
    if (strcmp(what, "compress-hc") == 0)
        return LZ4_compress_HC(text, out, HC_SIZE, LZ4_COMPRESSBOUND(SIZE), 9);
    return LZ4_decompress_safe(packed, out, length, SIZE);
}

int main(int count, char **arguments) {
    char *text = malloc(SIZE), *packed = malloc(LZ4_COMPRESSBOUND(SIZE)), *out = malloc(LZ4_COMPRESSBOUND(SIZE));
    fill(text);
    int length = LZ4_compress_default(text, packed, SIZE, LZ4_COMPRESSBOUND(SIZE));
    return count < 2 || length <= 0 || subject(arguments[1], text, packed, length, out) <= 0;
}
