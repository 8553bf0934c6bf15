/* The layout of a variable, as the instrumentor leaves it in a program, is read at each offset:
 * what is found has a name and ends within reach, whatever the text is. */
#include "base/err.h"
#include "capture/ring/leaf.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    struct fore_leaf leaf;
    if (!text || size > 4096) {
        free(text);
        return 0;
    }
    if (size)
        memcpy(text, data, size);
    text[size] = 0;
    for (uint64_t at = 0; at < 72; at++) {
        bool found = fore_leaf_at("v", text, at, &leaf);
        FORE_BUG_IF(leaf.name[0] != 'v' || strlen(leaf.name) >= sizeof leaf.name);
        FORE_BUG_IF(found && leaf.rest >= leaf.size);
        for (uint64_t bit = 0; bit < 8; bit++)
            if (fore_leaf_bits_at("v", text, at * 8 + bit, &leaf))
                FORE_BUG_IF(leaf.name[0] != 'v' || !leaf.type);
    }
    free(text);
    return 0;
}
