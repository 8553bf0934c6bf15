#include "explore/program/failure.h"

#include "base/hash.h"
#include "base/path.h"
#include "capture/control/schedule.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void fore_failure_release(struct fore_failure *x)
{
    fore_strbuf_release(&x->message);
    fore_strbuf_release(&x->test);
    fore_strbuf_release(&x->place);
    fore_strbuf_release(&x->said);
    *x = (struct fore_failure)FORE_FAILURE_INIT;
}

/* Appends a line of the output that contains the word, without its end; nothing if there is
 * none. */
static void put_line_with(const char *output, const char *word, struct fore_strbuf *out)
{
    const char *at = strstr(output, word);
    if (!at)
        return;
    while (at > output && at[-1] != '\n')
        at--;
    fore_strbuf_add(out, at, strcspn(at, "\n"));
}

static uint32_t told_threads(const struct fore_outcome *o)
{
    return o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
}

static bool is_blocked(const struct fore_outcome_thread *t)
{
    return t->state == FORE_OUTCOME_WAITS && t->blocked;
}

/* Is this blocked thread a cause? One that merely waits for a thread to end, or inside a
 * library, is none. */
static bool is_cause(const struct fore_outcome_thread *t)
{
    return is_blocked(t) && t->kind && t->kind != FORE_OP_join;
}

void fore_failure_put_place(const char *place, size_t n, struct fore_strbuf *out)
{
    const char *below = fore_path_here(place), *end = place + n;
    if (below < end) {
        place = below;
        n = (size_t)(end - below);
    }
    if (n > 2 && !strncmp(place + n - 2, ":0", 2))
        n -= 2;
    fore_strbuf_add(out, place, n);
}

/* ---- names ---- */

static const struct fore_outcome_thread *thread_on(const struct fore_outcome *o,
                                                   const char *path)
{
    for (uint32_t i = 0; i < told_threads(o); i++)
        if (!strcmp(o->thread[i].path, path))
            return &o->thread[i];
    return NULL;
}

static enum fore_shared_name is_name_shared(const struct fore_outcome *o,
                                            const struct fore_outcome_thread *t)
{
    for (uint32_t i = 0; i < told_threads(o); i++)
        if (&o->thread[i] != t && !strcmp(o->thread[i].name, t->name))
            return FORE_NAME_SHARED;
    return FORE_NAME_ALONE;
}

/* Appends the name of the thread with this creation path: "worker"; "thread 1.2 (worker)" if
 * others have that name, too; "thread 1.2" if it has none. */
static void put_thread_name(const struct fore_rerun *p, const char *path,
                            struct fore_strbuf *out)
{
    const struct fore_outcome_thread *t = thread_on(p->outcome, path);
    if (t && t->name[0])
        fore_called(path, t->name, is_name_shared(p->outcome, t), out);
    else
        fore_strbuf_printf(out, "%s %s", p->host ? p->host->thread : "thread", path);
}

/* ---- which thread is the cause ---- */

/* Is another blocked thread below it, which it created and may well wait for? */
static bool has_blocked_child(const struct fore_outcome *o,
                              const struct fore_outcome_thread *t)
{
    size_t n = strlen(t->path);
    for (uint32_t i = 0; i < told_threads(o); i++)
        if (is_cause(&o->thread[i]) && !strncmp(o->thread[i].path, t->path, n) &&
            o->thread[i].path[n] == '.')
            return true;
    return false;
}

/* ---- what it was ---- */

/* What a thread waits for, in words. */
static const char *wait_in_words(unsigned kind)
{
    static const struct {
        unsigned kind;
        const char *words;
    } waits[] = {{FORE_OP_lock, "for a lock"},
                 {FORE_OP_trylock, "for a lock"},
                 {FORE_OP_rlock, "for a lock, to read"},
                 {FORE_OP_tryrlock, "for a lock, to read"},
                 {FORE_OP_cwait, "for a condition to be signalled"},
                 {FORE_OP_cwoken, "for a condition to be signalled"},
                 {FORE_OP_acquire, "for a semaphore"},
                 {FORE_OP_barrier, "for the others at a barrier"},
                 {FORE_OP_enter, "for what another runs once"},
                 {FORE_OP_once, "for what another runs once"},
                 {FORE_OP_wgwait, "for a wait group"},
                 {FORE_OP_send, "to send"},
                 {FORE_OP_receive, "to receive"},
                 {FORE_OP_select, "in a select"},
                 {FORE_OP_input, "for input"},
                 {FORE_OP_output, "for output"},
                 {FORE_OP_futex, "in a futex"},
                 {FORE_OP_parked, "in a futex to be woken"}};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
        if (waits[i].kind == kind)
            return waits[i].words;
    return "in a call";
}

static void describe_stuck(const struct fore_rerun *p, const char *output,
                           struct fore_failure *out)
{
    const struct fore_outcome *o = p->outcome;
    bool traced = p->host && p->host->traced;
    unsigned causes = 0, locks = 0;
    uint64_t h = 0;
    for (uint32_t i = 0; i < told_threads(o); i++) {
        const struct fore_outcome_thread *t = &o->thread[i];
        if (!is_cause(t) || (traced && has_blocked_child(o, t)))
            continue;
        struct fore_strbuf place = FORE_STRBUF_INIT;
        fore_failure_put_place(t->place, strlen(t->place), &place);
        fore_strbuf_puts(&out->message, causes++ ? "; " : "");
        put_thread_name(p, t->path, &out->message);
        fore_strbuf_printf(&out->message, " waits for ever %s at %s",
                           wait_in_words(t->kind),
                           place.n ? place.at : "an unknown place");
        fore_strbuf_release(&place);
        locks += t->kind == FORE_OP_lock || t->kind == FORE_OP_rlock;
        h += fore_hash(t->place, strlen(t->place));
    }
    if (!causes)
        fore_strbuf_printf(&out->message, "every %s waits for another one to end",
                           p->host ? p->host->thread : "thread");
    if (traced)
        fore_failure_test_of_go(output, &out->test);
    out->rule = causes >= 2 && locks == causes ? "lock-cycle" : "blocked-forever";
    out->hash = h;
}

/* Takes the report of a sanitizer: "==1==ERROR: AddressSanitizer: heap-use-after-free on ..." */
static bool describe_sanitizer(const char *output, struct fore_failure *out)
{
    static const char *const words[] = {"ERROR: AddressSanitizer",
                                        "runtime error: ", "ERROR: LeakSanitizer",
                                        "WARNING: MemorySanitizer"};
    for (size_t i = 0; i < sizeof words / sizeof *words && !out->message.n; i++)
        put_line_with(output, words[i], &out->message);
    if (!out->message.n)
        return false;
    size_t n = out->message.n; /* addresses differ from run to run */
    const char *address = strstr(out->message.at, " 0x");
    if (address)
        n = (size_t)(address - out->message.at);
    const char *from = strstr(out->message.at, "Sanitizer");
    size_t skip =
        from && from < out->message.at + n ? (size_t)(from - out->message.at) : 0;
    out->hash = fore_hash(out->message.at + skip, n - skip);
    out->rule = "crash";
    return true;
}

/* Appends the program's last line of output. */
static void put_last_line(const char *output, struct fore_strbuf *out)
{
    size_t n = strlen(output);
    while (n && (output[n - 1] == '\n' || output[n - 1] == ' '))
        n--;
    size_t from = n;
    while (from && output[from - 1] != '\n')
        from--;
    fore_strbuf_printf(out, "%.*s", (int)(n - from), output + from);
}

static void describe_abort(const char *output, struct fore_failure *out)
{
    put_line_with(output, "Assertion `", &out->message);
    if (!out->message.n)
        put_line_with(output, "terminate called", &out->message);
    if (!out->message.n) {
        put_last_line(output, &out->said);
        fore_strbuf_printf(&out->message, "the program aborted%s%s",
                           out->said.n ? ": " : "", out->said.n ? out->said.at : "");
        fore_strbuf_release(&out->said);
    }
    out->rule = "assertion";
    out->hash = fore_hash(out->message.at, out->message.n);
}

static void describe_crash(const struct fore_outcome *o, int signal,
                           struct fore_failure *out)
{
    const char *path = o->running < told_threads(o) ? o->thread[o->running].path : "?";
    fore_strbuf_printf(&out->message, "%s in thread %s, after %s:%u:%u",
                       strsignal(signal), path, o->file[0] ? o->file : "?", o->line,
                       o->column);
    out->rule = "crash";
    out->hash = fore_hash(o->file, strlen(o->file)) + o->line;
}

void fore_failure_of_c(const struct fore_rerun *p, const char *output,
                       struct fore_failure *out)
{
    if (!p->status || describe_sanitizer(output, out)) {
        /* it ended well, or the message is complete */
    } else if (WIFSIGNALED(p->status) && WTERMSIG(p->status) == SIGABRT) {
        describe_abort(output, out);
    } else if (WIFSIGNALED(p->status)) {
        describe_crash(p->outcome, WTERMSIG(p->status), out);
    } else {
        fore_strbuf_printf(&out->message, "the program ended with status %d",
                           WEXITSTATUS(p->status));
        put_last_line(output, &out->said);
        out->rule = "exit-status";
        out->hash = (uint64_t)WEXITSTATUS(p->status);
    }
}

/* The child was ended when it came to the lock, and its parent went on knowing that. */
static void child_stuck(const struct fore_outcome *o, struct fore_failure *out)
{
    struct fore_strbuf place = FORE_STRBUF_INIT;
    fore_failure_put_place(o->child_waits, strnlen(o->child_waits, sizeof o->child_waits),
                           &place);
    fore_strbuf_printf(
        &out->message,
        "a forked child waits for ever for a lock at %s: another thread of "
        "its parent held it when the process forked",
        place.at);
    out->rule = "blocked-forever";
    out->hash = fore_hash(o->child_waits, strlen(o->child_waits));
    fore_strbuf_release(&place);
}

void fore_failure_of(const struct fore_rerun *p, struct fore_failure *out)
{
    struct fore_strbuf output = FORE_STRBUF_INIT;
    fore_failure_release(out);
    if (p->timed_out || p->outcome->end == FORE_OUTCOME_SPINS)
        return;
    if (p->host && p->host->traced && !fore_rerun_took(p))
        return; /* not the program ended but its control, before the program began */
    fore_rerun_output(p, &output);
    if (p->outcome->child_waits[0])
        child_stuck(p->outcome, out);
    else if (p->outcome->end == FORE_OUTCOME_STUCK)
        describe_stuck(p, output.at, out);
    else if (p->host)
        p->host->failure(p, output.at, out);
    else
        fore_failure_of_c(p, output.at, out);
    if (out->rule)
        out->hash = fore_hash_more(out->hash, out->rule, strlen(out->rule));
    fore_strbuf_release(&output);
}

/* ---- as a finding ---- */

static void add_places(const struct fore_rerun *p, const struct fore_failure *x,
                       struct fore_finding *to, struct fore_findings *f)
{
    const struct fore_outcome *o = p->outcome;
    if (o->child_waits[0]) {
        fore_finding_location(f, to, "waits", "",
                              fore_findings_printf(f, "%s", o->child_waits));
    } else if (o->end == FORE_OUTCOME_STUCK) {
        for (uint32_t i = 0; i < told_threads(o); i++)
            if (is_cause(&o->thread[i]))
                fore_finding_location(f, to, "waits", o->thread[i].path,
                                      o->thread[i].place);
    } else if (!strcmp(x->rule, "crash") && o->file[0] && o->running < told_threads(o)) {
        fore_finding_location(
            f, to, "after", o->thread[o->running].path,
            fore_findings_printf(f, "%s:%u:%u", o->file, o->line, o->column));
    }
}

struct fore_finding *fore_failure_finding(const struct fore_rerun *p,
                                          const struct fore_failure *x,
                                          enum fore_verdict verdict,
                                          struct fore_findings *f)
{
    struct fore_finding *to = fore_findings_add(f, x->rule, verdict);
    to->message = fore_arena_strdup(&f->arena, x->message.at);
    if (x->test.n)
        to->test = fore_arena_strdup(&f->arena, x->test.at);
    if (x->place.n)
        fore_finding_location(f, to, "fails", "", x->place.at);
    add_places(p, x, to, f);
    if (x->said.n)
        fore_finding_fact(f, to, "said", "%s", x->said.at);
    return to;
}

/* ---- races ---- */

static const char *verb_of(unsigned kind)
{
    return kind == FORE_OP_read ? "reads" : "writes";
}

void fore_failure_of_race(const struct fore_rerun *p, const struct fore_outcome_race *r,
                          struct fore_failure *out)
{
    unsigned first = strcmp(r->place[0], r->place[1]) > 0, second = !first;
    const struct fore_outcome *o = p->outcome;
    struct fore_strbuf place[2] = {FORE_STRBUF_INIT, FORE_STRBUF_INIT};
    for (size_t i = 0; i < 2; i++)
        fore_failure_put_place(r->place[i], strlen(r->place[i]), &place[i]);
    fore_failure_release(out);
    out->rule = "data-race";
    put_thread_name(p, o->thread[r->thread[first]].path, &out->message);
    fore_strbuf_printf(&out->message, " %s %s at %s while ", verb_of(r->kind[first]),
                       r->object[0] ? r->object : "memory", place[first].at);
    put_thread_name(p, o->thread[r->thread[second]].path, &out->message);
    fore_strbuf_printf(&out->message, " %s it at %s", verb_of(r->kind[second]),
                       place[second].at);
    for (size_t i = 0; i < 2; i++)
        fore_strbuf_release(&place[i]);
    out->hash = fore_hash(r->place[0], strlen(r->place[0])) +
                fore_hash(r->place[1], strlen(r->place[1])) + 1;
}

struct fore_finding *fore_failure_race_finding(const struct fore_outcome *o,
                                               const struct fore_outcome_race *r,
                                               const struct fore_failure *x,
                                               struct fore_findings *f)
{
    struct fore_finding *to = fore_findings_add(f, x->rule, FORE_VERDICT_CONFIRMED);
    to->message = fore_arena_strdup(&f->arena, x->message.at);
    to->object = fore_arena_strdup(&f->arena, r->object);
    for (unsigned i = 0; i < 2; i++)
        fore_finding_location(f, to, r->kind[i] == FORE_OP_read ? "read" : "write",
                              o->thread[r->thread[i]].path, r->place[i]);
    return to;
}

/* ---- meetings ---- */

bool fore_failure_of_meeting(const struct fore_outcome *o, struct fore_failure *out)
{
    unsigned adds = o->stood[0].kind == FORE_OP_wgadd ? 0 : 1, waits = !adds;
    const struct fore_outcome_thread *add = &o->stood[adds], *wait = &o->stood[waits];
    fore_failure_release(out);
    if (o->met < 2 || add->kind != FORE_OP_wgadd || wait->kind != FORE_OP_wgwait ||
        add->address != wait->address)
        return false;
    struct fore_strbuf place[2] = {FORE_STRBUF_INIT, FORE_STRBUF_INIT};
    fore_failure_put_place(add->place, strlen(add->place), &place[0]);
    fore_failure_put_place(wait->place, strlen(wait->place), &place[1]);
    fore_strbuf_printf(&out->message,
                       "goroutine %s is about to add at %s while goroutine %s is about "
                       "to wait at %s, and nothing orders the two",
                       add->path, place[0].at, wait->path, place[1].at);
    out->rule = "wait-before-add";
    out->hash = fore_hash(place[0].at, place[0].n) + fore_hash(place[1].at, place[1].n);
    for (size_t i = 0; i < 2; i++)
        fore_strbuf_release(&place[i]);
    return true;
}

struct fore_finding *fore_failure_meeting_finding(const struct fore_outcome *o,
                                                  const struct fore_failure *x,
                                                  struct fore_findings *f)
{
    struct fore_finding *to = fore_findings_add(f, x->rule, FORE_VERDICT_CONFIRMED);
    to->message = fore_arena_strdup(&f->arena, x->message.at);
    for (unsigned i = 0; i < 2; i++)
        fore_finding_location(f, to, o->stood[i].kind == FORE_OP_wgadd ? "adds" : "waits",
                              o->stood[i].path, o->stood[i].place);
    return to;
}
