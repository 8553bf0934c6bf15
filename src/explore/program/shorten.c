#include "explore/program/shorten.h"

#include "base/mem.h"
#include "capture/control/schedule.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 300 };

struct segment {
    char path[112];
    unsigned count;
};

struct segments {
    FORE_VEC(struct segment) v;
};

/* By hand: sscanf looks for the end of the whole schedule at every line. */
static bool parse_segment(const char *line, struct segment *out)
{
    static const char goes[] = " goes ";
    size_t n = strcspn(line, " \n");
    if (!n || n >= sizeof out->path || strncmp(line + n, goes, strlen(goes)))
        return false;
    memcpy(out->path, line, n);
    out->path[n] = 0;
    out->count = (unsigned)strtoul(line + n + strlen(goes), NULL, 10);
    return true;
}

static void parse_schedule(const char *schedule, struct segments *out)
{
    struct segment s;
    fore_vec_clear(&out->v);
    for (const char *at = schedule; *at; at += strcspn(at, "\n"), at += *at == '\n')
        if (parse_segment(at, &s))
            fore_vec_push(&out->v, s);
}

/* Writes the first n segments without the one at `left_out`, whose steps the thread does when it
 * goes next. */
static void put_schedule(const struct segments *s, size_t n, size_t left_out,
                         const char *options, struct fore_strbuf *out)
{
    unsigned more = 0;
    const char *whose = "";
    fore_strbuf_clear(out);
    fore_strbuf_printf(out, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, options);
    for (size_t i = 0; i < n; i++) {
        const struct segment *x = &s->v.at[i];
        if (i == left_out) {
            more = x->count;
            whose = x->path;
            continue;
        }
        bool same = more && !strcmp(x->path, whose);
        fore_strbuf_printf(out, "%s goes %u\n", x->path, x->count + (same ? more : 0));
        more = same ? 0 : more;
    }
    fore_strbuf_puts(out, "then free\n");
}

struct shortening {
    struct fore_rerun *target;
    struct fore_search_failure *failure;
    const struct fore_search *search;
    struct fore_strbuf options; /* the lines before the steps */
    unsigned runs;
    struct segments now;
    struct fore_strbuf text;
};

/* Do the analyses of a run see it again? */
static bool is_seen(const struct shortening *x)
{
    const struct fore_search *s = x->search;
    struct fore_findings found;
    struct fore_wishes unheard = {0};
    bool seen = false;
    fore_findings_init(&found);
    s->look(s->ctx, x->target, &found, &unheard);
    for (size_t i = 0; i < found.list.n; i++)
        seen |= found.list.at[i]->id == x->failure->what.hash;
    for (size_t i = 0; i < unheard.v.n; i++)
        fore_free(unheard.v.at[i]);
    fore_vec_release(&unheard.v);
    fore_findings_release(&found);
    return seen;
}

/* Does the program fail in the same way? A race by the same two threads in the same roles: `n++` of two
 * threads races in three ways, and the message tells one of them. */
static bool still_fails(const struct shortening *x)
{
    if (x->failure->seen)
        return is_seen(x);
    struct fore_failure what = FORE_FAILURE_INIT;
    const struct fore_outcome *o = x->target->outcome;
    fore_failure_of(x->target, &what);
    bool same = what.rule && what.hash == x->failure->what.hash;
    for (uint32_t i = 0; !same && i < o->races && i < FORE_OUTCOME_RACES; i++) {
        fore_failure_of_race(x->target, &o->race[i], &what);
        same = !strcmp(what.message.at, x->failure->what.message.at);
    }
    fore_failure_release(&what);
    return same;
}

/* Runs it without a segment, or the first n only; takes over what it did if that is shorter. */
static enum fore_status try_without(struct shortening *x, size_t n, size_t left_out,
                                    bool *shorter, struct fore_err *e)
{
    *shorter = false;
    x->runs++;
    put_schedule(&x->now, n, left_out, x->options.at, &x->text);
    FORE_TRY(fore_rerun_run(x->target, x->text.at, x->search->budget->interrupted, e));
    if (!still_fails(x))
        return FORE_OK;
    struct fore_strbuf did = FORE_STRBUF_INIT;
    fore_strbuf_printf(&did, "%s\n%s", FORE_SCHEDULE_FIRST_LINE, x->options.at);
    uint32_t switches = fore_reversal_schedule(x->target, UINT64_MAX, &did);
    fore_strbuf_puts(&did, "then free\n");
    if (switches < x->failure->switches) {
        fore_free(x->failure->schedule);
        x->failure->schedule = fore_strbuf_detach(&did);
        x->failure->switches = switches;
        x->failure->early = fore_rerun_early(x->target);
        parse_schedule(x->failure->schedule, &x->now);
        *shorter = true;
    }
    fore_strbuf_release(&did);
    return FORE_OK;
}

static bool may_go_on(struct shortening *x)
{
    x->search->budget->polls |= 255;
    return x->runs < MOST_RUNS && !fore_budget_spent(x->search->budget);
}

enum fore_status fore_shorten(struct fore_rerun *p, struct fore_search_failure *f,
                              const struct fore_search *search, struct fore_err *e)
{
    struct shortening x = {.target = p,
                           .failure = f,
                           .search = search,
                           .options = FORE_STRBUF_INIT,
                           .text = FORE_STRBUF_INIT};
    fore_strbuf_puts(&x.options, search->options);
    fore_strbuf_puts(&x.options, f->seeds);
    enum fore_status s = FORE_OK;
    bool shorter = true;
    parse_schedule(f->schedule, &x.now);
    for (size_t n = x.now.v.n / 2; n && s == FORE_OK && may_go_on(&x); n /= 2)
        s = try_without(&x, x.now.v.n - n, SIZE_MAX, &shorter, e);
    for (shorter = true; shorter && s == FORE_OK;) {
        bool any = false;
        for (size_t i = x.now.v.n; i-- > 0 && s == FORE_OK && may_go_on(&x);) {
            if (i >= x.now.v.n)
                continue;
            s = try_without(&x, x.now.v.n, i, &shorter, e);
            any |= shorter;
        }
        shorter = any && may_go_on(&x);
    }
    fore_vec_release(&x.now.v);
    fore_strbuf_release(&x.options);
    fore_strbuf_release(&x.text);
    return s;
}
