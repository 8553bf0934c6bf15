/* STD that is read must be writable as text that reads back. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n, m;
    char *text = fuzz_convert(data, size, "text", &n);
    if (!text)
        return 0;
    char *again = fuzz_convert(text, n, "text", &m);
    FORE_BUG_IF(!again);
    free(again);
    free(text);
    return 0;
}
