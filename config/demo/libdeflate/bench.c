// A text with repetitions: compressed at two levels, decompressed, and summed up.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "libdeflate.h"

enum { LENGTH = 1 << 15, ROOM = LENGTH + 4096 };

static char text[LENGTH], packed[ROOM], unpacked[LENGTH];

static const char *const words[] = {"a ",      "benchmark ", "is ",     "slow ",     "or ",      "noisy, ", "and ",    "most ",
                                    "commits ", "cannot ",   "change ", "what ",     "it ",      "tells.\n", "the ",   "source "};

static void write_text(void) {
    uint32_t state = 1;
    size_t at = 0;
    while (at < LENGTH) {
        state = state * 1664525 + 1013904223;
        const char *word = words[state >> 28];
        while (*word && at < LENGTH)
            text[at++] = *word++;
    }
}

static size_t compressed(int level) {
    struct libdeflate_compressor *compressor = libdeflate_alloc_compressor(level);
    size_t size = libdeflate_zlib_compress(compressor, text, LENGTH, packed, ROOM);
    libdeflate_free_compressor(compressor);
    return size;
}

__attribute__((noinline)) size_t subject(const char *what, size_t size) {
    if (strcmp(what, "compress") == 0)
        return compressed(6);
    if (strcmp(what, "compress-best") == 0)
        return compressed(12);
    if (strcmp(what, "decompress") == 0) {
        struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
        size_t length = 0;
        libdeflate_zlib_decompress(decompressor, packed, size, unpacked, LENGTH, &length);
        libdeflate_free_decompressor(decompressor);
        return length;
    }
    return libdeflate_crc32(0, text, LENGTH) ^ libdeflate_adler32(1, text, LENGTH);
}

int main(int count, char **arguments) {
    if (count < 2)
        return 1;
    write_text();
    return subject(arguments[1], compressed(6)) == 0;
}
