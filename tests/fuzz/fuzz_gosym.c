/* Two bytes are the distance to what describes inlined calls, the rest is an executable: whatever
 * is wrong with it, addresses are at worst unknown. The same bytes as source text have selects. */
#include "fuzz.h"
#include "ring/gocontext.h"
#include "ring/goselect.h"
#include "ring/govars.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FRAMES = 8, ADDRESSES = 256, LINES = 4 };

static void look(const struct fore_gosym *g, uint32_t pc)
{
    struct fore_gosym_frame f[FRAMES];
    size_t n = fore_gosym_frames(g, pc, f, FRAMES);
    FORE_BUG_IF(n > FRAMES);
    for (size_t i = 0; i < n; i++)
        FORE_BUG_IF(strlen(f[i].function) + strlen(f[i].file) > 1u << 20);
    FORE_BUG_IF(strlen(fore_gosym_entry(g, pc)) > 1u << 20);
    (void)fore_gosym_in(g, pc, "time.");
}

static void open_and_look(const uint8_t *data, size_t size, int16_t distance)
{
    char path[64];
    struct fore_gosym *g;
    struct fore_err e = {0};
    int fd = memfd_create("gosym", MFD_CLOEXEC);
    FORE_BUG_IF(fd < 0 || write(fd, data, size) != (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (fore_gosym_open(&g, path, distance, &e) == FORE_OK) {
        struct fore_tables t;
        fore_tables_init(&t);
        for (uint32_t pc = 0; pc < ADDRESSES; pc++) {
            uint32_t stack[2] = {pc + 1, pc * 65537};
            bool hidden;
            look(g, pc);
            FORE_BUG_IF(fore_gosym_where(g, &t, pc, stack, 2, &hidden) >= t.wheres.n);
        }
        look(g, UINT32_MAX);
        fore_tables_release(&t);
        fore_gosym_free(g);
    }
    close(fd);
}

static void look_for_variables(const uint8_t *data, size_t size)
{
    struct fore_govars *v = fore_govars_open(data, size);
    for (uint64_t address = 0; v && address < ADDRESSES; address++) {
        struct fore_strbuf name = FORE_STRBUF_INIT;
        (void)fore_govars_name(v, address, &name);
        fore_strbuf_release(&name);
    }
    fore_govars_free(v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    open_and_look(data + 2, size - 2, (int16_t)(data[0] | data[1] << 8));
    look_for_variables(data + 2, size - 2);
    for (uint32_t line = 1; line <= LINES; line++) {
        struct fore_goselect s = {{0}};
        fore_goselect_read((struct fore_bytes){(const char *)data, size}, line, &s);
        fore_vec_release(&s.v);
    }
    return 0;
}
