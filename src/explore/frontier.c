#include "explore/frontier.h"

#include "base/hash.h"
#include "base/path.h"
#include "explore/walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "foresee frontier 1\n"

/* "history 0 i0 i1 r0=5": whether an operation is open, then its events. */
static void write_history(const struct fore_histories *h, uint32_t node,
                          struct fore_strbuf *out)
{
    uint32_t path[2 * FORE_OPS_MAX];
    size_t n = 0;
    fore_strbuf_printf(out, "history %d", h->nodes.at[node].open);
    for (uint32_t i = node; i && n < 2 * FORE_OPS_MAX; i = h->nodes.at[i].parent)
        path[n++] = i;
    while (n) {
        const struct fore_history_node *x = &h->nodes.at[path[--n]];
        if (x->response)
            fore_strbuf_printf(out, " r%u=%" PRId64, x->op, x->result);
        else
            fore_strbuf_printf(out, " i%u", x->op);
    }
    fore_strbuf_putc(out, '\n');
}

uint64_t fore_frontier_mark(const struct fore_explorer *s)
{
    const struct fore_explore_options *o = s->opt;
    uint64_t h = fore_hash_more(s->hashes.at[0], &o->faults, sizeof o->faults);
    h = fore_hash_mix(h, (uint64_t)o->no_symmetry << 1 | o->wide);
    return fore_hash_mix(h, (uint64_t)o->max_depth << 2 | o->dependence << 1 | o->compat);
}

void fore_frontier_write(const struct fore_explorer *s, struct fore_strbuf *out)
{
    const struct fore_row *r = &s->row;
    fore_strbuf_puts(out, HEAD);
    fore_strbuf_printf(out, "scheduler %s\nstart %016" PRIx64 "\n",
                       s->opt->scheduler->name, fore_frontier_mark(s));
    fore_strbuf_printf(
        out, "counts %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n",
        r->schedules, r->incomplete, r->steps, r->stateless_steps, r->first_bug);
    for (uint32_t i = 0; i < s->histories.nodes.n; i++)
        if (s->histories.nodes.at[i].ended)
            write_history(&s->histories, i, out);
}

const char *fore_frontier_line(const char **at, const char *word)
{
    size_t n = strlen(word);
    while (**at) {
        const char *line = *at;
        size_t len = strcspn(line, "\n");
        *at = line + len + (line[len] == '\n');
        if (!strncmp(line, word, n) && line[n] == ' ')
            return line + n + 1;
    }
    return NULL;
}

static bool read_history(struct fore_explorer *s, const char *line)
{
    uint32_t node = 0;
    char *end;
    bool open = strtol(line, &end, 10) != 0;
    while (*end == ' ') {
        bool response = end[1] == 'r';
        unsigned long op = strtoul(end + 2, &end, 10);
        if (op >= s->world.harness->ops.n || (response && *end != '='))
            return false;
        if (response)
            node = fore_histories_respond(&s->histories, node, (uint32_t)op,
                                          strtoll(end + 1, &end, 10));
        else
            node = fore_histories_invoke(&s->histories, node, (uint32_t)op);
    }
    fore_histories_end(&s->histories, node, open);
    return *end == '\n' || !*end;
}

enum fore_status fore_frontier_read(struct fore_explorer *s, const char *file,
                                    const char *text, struct fore_err *e)
{
    struct fore_row *r = &s->row;
    const char *at = text, *line;
    const char *name = s->opt->scheduler->name;
    if (!fore_begins_with(text, HEAD))
        return fore_fail(e, FORE_SYNTAX,
                         "%s: this is no frontier: it does not begin with "
                         "`foresee frontier 1`",
                         file);
    line = fore_frontier_line(&at, "scheduler");
    if (!line || strncmp(line, name, strlen(name)))
        return fore_fail(e, FORE_MEANING, "%s: saved by another scheduler than %s", file,
                         name);
    line = fore_frontier_line(&at, "start");
    if (!line || strtoull(line, NULL, 16) != fore_frontier_mark(s))
        return fore_fail(e, FORE_MEANING,
                         "%s: saved for another system or harness, or with other "
                         "--faults, --max-depth, --dependence",
                         file);
    line = fore_frontier_line(&at, "counts");
    if (!line || sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64,
                        &r->schedules, &r->incomplete, &r->steps, &r->stateless_steps,
                        &r->first_bug) != 5)
        return fore_fail(e, FORE_SYNTAX, "%s: the counts are missing", file);
    s->ended_own = r->schedules;
    while ((line = fore_frontier_line(&at, "history")))
        if (!read_history(s, line))
            return fore_fail(e, FORE_SYNTAX, "%s: a history of another harness", file);
    s->resume = text;
    return FORE_OK;
}
