/* The first byte says what the rest is: a file as it stands, or the content of a chunk, around
 * which right headers are put. What is read must be writable: every id leads somewhere. */
#include "../unit/trace/frames.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    size_t n;
    if (size < 3)
        return 0;
    if (data[0] & 1)
        fore_strbuf_add(&b, (const char *)data + 1, size - 1);
    else
        wrap(&b, (const char *)data + 3, size - 3,
             (uint64_t)data[1] | (uint64_t)data[2] << 8);
    free(fuzz_convert(b.at, b.n, "text", &n));
    free(fuzz_convert(b.at, b.n, "fst", &n));
    fore_strbuf_release(&b);
    return 0;
}
