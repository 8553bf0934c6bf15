/* Where an operation of a Go program stands, by the return addresses that were recorded with it: the frames of the
 * user's own code among those of the library. */
#include "ring/gocontext.h"

#include "base/path.h"

#include <string.h>

void fore_gosym_put_name(const char *function, struct fore_strbuf *out)
{
    int depth = 0;
    for (const char *c = function; *c; c++) {
        if (*c == '[' && !depth++)
            fore_strbuf_puts(out, "[...]");
        if (!depth)
            fore_strbuf_putc(out, *c);
        depth -= depth && *c == ']';
    }
}

static uint32_t name_string(struct fore_tables *t, const char *function)
{
    if (!strchr(function, '['))
        return fore_tables_string(t, function, strlen(function));
    struct fore_strbuf name = FORE_STRBUF_INIT;
    fore_gosym_put_name(function, &name);
    uint32_t string = fore_tables_string(t, name.at, name.n);
    fore_strbuf_release(&name);
    return string;
}

bool fore_gosym_in(const struct fore_gosym *g, uint32_t pc, const char *package)
{
    struct fore_gosym_frame f;
    return fore_gosym_frames(g, pc, &f, 1) && fore_begins_with(f.function, package);
}

enum { FRAMES = 128 };

static size_t collect_frames(const struct fore_gosym *g, uint32_t pc,
                             const uint32_t *stack, size_t n,
                             struct fore_gosym_frame out[FRAMES])
{
    size_t count = fore_gosym_frames(g, pc, out, FRAMES);
    for (size_t i = 0; i < n && count < FRAMES; i++)
        if (stack[i] && !(i == 0 && stack[i] == pc))
            count += fore_gosym_frames(g, stack[i], out + count, FRAMES - count);
    return count;
}

/* Length of "net." in "net.(*pipeDeadline).set". */
static size_t package_length(const char *function)
{
    const char *slash = strrchr(function, '/');
    const char *dot = strchr(slash ? slash : function, '.');
    return dot ? (size_t)(dot + 1 - function) : strlen(function);
}

static bool serves_user(const char *function)
{
    static const char *const packages[] = {"time.", "context.", "sync.", "sync/atomic.",
                                           NULL};
    for (size_t i = 0; packages[i]; i++)
        if (fore_begins_with(function, packages[i]))
            return true;
    return false;
}

bool fore_gosym_lends(const struct fore_gosym *g, uint32_t pc, const uint32_t *stack,
                      size_t n)
{
    static const char *const makers[] = {"io.Pipe", "net.Pipe", "net.makePipeDeadline",
                                         "net.(*pipeDeadline).set"};
    struct fore_gosym_frame frames[FRAMES];
    size_t count = collect_frames(g, pc, stack, n, frames), at = 0;
    bool listed = false;
    for (size_t i = 0; count && i < sizeof makers / sizeof *makers; i++)
        listed = listed || !strcmp(frames[0].function, makers[i]);
    size_t package = listed ? package_length(frames[0].function) : 0;
    while (listed && at < count && frames[at].std &&
           !strncmp(frames[at].function, frames[0].function, package))
        at++;
    return listed && at < count && !frames[at].std;
}

static uint32_t frame_node(const struct fore_gosym *g, struct fore_tables *t,
                           const struct fore_gosym_frame *f, uint32_t parent)
{
    struct fore_where w = {
        .function = name_string(t, f->function),
        .file = *f->file ? fore_gosym_file_string(g, t, f->file) : 0,
        .line = f->line,
        .parent = parent,
    };
    return fore_tables_where(t, w);
}

uint32_t fore_gosym_where(const struct fore_gosym *g, struct fore_tables *t, uint32_t pc,
                          const uint32_t *stack, size_t n, bool *hidden)
{
    struct fore_gosym_frame frames[FRAMES];
    size_t count = collect_frames(g, pc, stack, n, frames), first = 0;
    bool serves = true;
    while (first < count && frames[first].std) {
        serves = serves && serves_user(frames[first].function);
        first++;
    }
    if (hidden)
        *hidden = count && (first == count || (first > 0 && !serves));
    if (first == count)
        first = 0; /* the library alone */
    uint32_t where = 0;
    for (size_t i = count; i > first; i--)
        if (i - 1 == first || !frames[i - 1].std)
            where = frame_node(g, t, &frames[i - 1], where);
    return where;
}
