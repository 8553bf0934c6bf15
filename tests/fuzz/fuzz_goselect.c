/* Go source need not be valid: the cases of a select are found, or not, on lines that it has. */
#include "fuzz.h"

#include "ring/goselect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fore_bytes text = {(const char *)data, size};
    uint32_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    for (uint32_t line = 0; line <= lines && line < 40; line++) {
        struct fore_goselect cases = {{0}};
        fore_goselect_read(text, line, &cases);
        for (size_t i = 0; i < cases.v.n; i++)
            FORE_BUG_IF(cases.v.at[i].line < line || cases.v.at[i].line > lines);
        fore_vec_release(&cases.v);
    }
    return 0;
}
