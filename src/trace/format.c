#include "trace/format.h"

#include "trace/relay.h"

#include <sys/stat.h>
#include <unistd.h>

const struct fore_format *fore_format_named(const char *name)
{
    for (const struct fore_format *const *f = fore_formats; *f; f++)
        if (strcmp((*f)->name, name) == 0 || strcmp((*f)->extension, name) == 0)
            return *f;
    return NULL;
}

static const struct fore_format *by_extension(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strchr(dot, '/') ? fore_format_named(dot + 1) : NULL;
}

static enum fore_status recognise(struct fore_input *in,
                                  const struct fore_format **format, struct fore_err *e)
{
    const char *head;
    size_t n;
    FORE_TRY(fore_input_peek(in, &head, &n, e));
    if (!n)
        return fore_fail_at(e, FORE_SYNTAX, in->name, 1, 1,
                            "the file is empty: expected a trace");
    for (const struct fore_format *const *f = fore_formats; *f; f++)
        if ((*f)->matches(head, n)) {
            *format = *f;
            return FORE_OK;
        }
    *format = by_extension(in->name);
    return *format ? FORE_OK
                   : fore_fail_offset(e, FORE_SYNTAX, in->name, 0,
                                      "not a trace in any format that foresee reads");
}

enum fore_status fore_input_stream(struct fore_input *in, struct fore_tables *tables,
                                   struct fore_sink *s, struct fore_err *e)
{
    const struct fore_format *format;
    FORE_TRY(recognise(in, &format, e));
    return format->read(in, tables, s, e);
}

enum fore_status fore_trace_stream(const char *path, struct fore_tables *tables,
                                   struct fore_sink *s, struct fore_err *e)
{
    struct fore_input in;
    FORE_TRY(fore_input_open(&in, path, e));
    enum fore_status status = fore_input_stream(&in, tables, s, e);
    fore_input_release(&in);
    return status;
}

/* Is the file large enough for a second thread to be worthwhile? */
static bool is_long(const struct stat *file)
{
    enum { LONG = 1 << 20 };
    return file->st_size >= LONG && sysconf(_SC_NPROCESSORS_ONLN) > 1;
}

static enum fore_status collect_trace(const char *path, struct fore_trace *into,
                                      bool brief, struct fore_err *e)
{
    struct fore_trace_collector c;
    struct fore_relay r;
    struct stat file = {0};
    struct fore_input in;
    const struct fore_format *format;
    if (strcmp(path, "-") == 0 || stat(path, &file))
        file = (struct stat){0};
    into->tables.written_ns =
        (uint64_t)file.st_mtim.tv_sec * 1000000000u + (uint64_t)file.st_mtim.tv_nsec;
    fore_trace_collector_init(&c, into);
    c.may_be_brief = brief;
    FORE_TRY(fore_input_open(&in, path, e));
    enum fore_status s = recognise(&in, &format, e);
    if (s == FORE_OK && (format->quick || !is_long(&file))) {
        s = format->read(&in, &into->tables, &c.sink, e);
    } else if (s == FORE_OK) {
        fore_relay_init(&r, &c.sink);
        s = format->read(&in, &into->tables, &r.sink, e);
        fore_relay_release(&r);
    }
    fore_input_release(&in);
    return s;
}

enum fore_status fore_trace_load(const char *path, struct fore_trace *into,
                                 struct fore_err *e)
{
    FORE_TRY(collect_trace(path, into, false, e));
    fore_trace_drop_private(into);
    return FORE_OK;
}

enum fore_status fore_trace_load_brief(const char *path, struct fore_trace *into,
                                       struct fore_err *e)
{
    bool regular = strcmp(path, "-") != 0;
    FORE_TRY(collect_trace(path, into, regular, e));
    if (into->brief && fore_trace_has_private(into))
        return fore_trace_load_again(path, into, e);
    if (!into->brief)
        fore_trace_drop_private(into);
    return FORE_OK;
}

/* An empty trace of that name, with its bounds. */
static void begin_again(struct fore_trace *into)
{
    char *name = fore_strdup(into->name);
    size_t most = into->most;
    struct fore_budget *budget = into->budget;
    fore_trace_release(into);
    fore_trace_init(into, name);
    into->most = most;
    into->budget = budget;
    fore_free(name);
}

enum fore_status fore_trace_load_ending(const char *path, struct fore_trace *into,
                                        size_t end, struct fore_err *e)
{
    begin_again(into);
    into->end = end;
    return fore_trace_load_brief(path, into, e);
}

enum fore_status fore_trace_load_again(const char *path, struct fore_trace *into,
                                       struct fore_err *e)
{
    begin_again(into);
    return fore_trace_load(path, into, e);
}

enum fore_status fore_trace_parse(struct fore_trace *t, const char *text, size_t n,
                                  struct fore_err *e)
{
    struct fore_input in;
    struct fore_trace_collector c;
    fore_input_memory(&in, t->name, text, n);
    fore_trace_collector_init(&c, t);
    enum fore_status s = fore_format_named("trace")->read(&in, &t->tables, &c.sink, e);
    fore_input_release(&in);
    return s;
}
