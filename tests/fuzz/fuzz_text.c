/* Text that is read must be written so that it reads back, also through .fst. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n, m;
    char *text = fuzz_convert(data, size, "text", &n);
    if (!text)
        return 0;
    char *again = fuzz_convert(text, n, "text", &m);
    FORE_BUG_IF(!again || n != m || memcmp(text, again, n) != 0);
    free(again);
    char *bytes = fuzz_convert(text, n, "fst", &m);
    FORE_BUG_IF(!bytes);
    again = fuzz_convert(bytes, m, "text", &m);
    FORE_BUG_IF(!again || n != m || memcmp(text, again, n) != 0);
    free(again);
    free(bytes);
    free(text);
    return 0;
}
