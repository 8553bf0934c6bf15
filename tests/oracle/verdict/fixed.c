/* Programs that broke a wording of the rules: each is correct, or at least cannot do what its trace
 * alone seems to allow. Nothing may be claimed of it, by whichever capture it was recorded.
 *
 * A line that begins with "~" is there only if memory is seen. */
#include "oracle/verdict/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A program that is RACY does have a race, which may be claimed; nothing else. */
struct fixed {
    const char *name, *trace;
    enum { SOUND, RACY } program;
};

static const struct fixed all_fixed[] = {
    /* 1: c!; x = 1; c?        2: c!; if x == 0 {c?}        1 ran first */
    {"a channel as a mutex",
     "chan c cap=1\n"
     "~init x=0\n"
     "1: straight pre(c!)@p:100; straight post(c!#1)@p:100\n"
     "~1: straight write(x)=1@p:101\n"
     "1: straight pre(c?)@p:102; straight post(1#c?)@p:102; straight end@p:103\n"
     "2: straight pre(c!)@p:200; straight post(c!#2)@p:200\n"
     "~2: straight read(x)=1@p:201\n"
     "2: use@p:202; end@p:203\n",
     SOUND},
    /* 1: acquire; x = 1; release        2: acquire; if x == 0 {release}      1 ran first */
    {"a semaphore as a mutex",
     "~init x=0\n"
     "1: straight release(s)@p:100; straight signal(2)@p:101\n"
     "1: straight pre(acquire(s))@p:102; straight acquire(s)@p:102\n"
     "~1: straight write(x)=1@p:103\n"
     "1: straight release(s)@p:104; straight end@p:105\n"
     "2: straight wait(2)@p:200\n"
     "2: straight pre(acquire(s))@p:200; straight acquire(s)@p:200\n"
     "~2: straight read(x)=1@p:201\n"
     "2: use@p:202; end@p:203\n",
     SOUND},
    /* 1: if cas(a) {x = 1; close d; a = 0}   2: if cas(a) {if x == 0 {d!}; a = 0}   2 first */
    {"a lock by compare-and-swap",
     "chan d cap=1\n"
     "~init x=0 a=0\n"
     "2: straight rmw.sc(a)=0->1@p:200\n"
     "2: use@p:201\n"
     "~2: read(x)=0@p:202\n"
     "2: use@p:203; pre(d!)@p:204; straight post(d!#1)@p:204\n"
     "2: straight write.sc(a)=0@p:205; straight end@p:206\n"
     "1: straight rmw.sc(a)=0->1@p:100\n"
     "1: use@p:101\n"
     "~1: write(x)=1@p:102\n"
     "1: close(d)@p:103; straight write.sc(a)=0@p:104; straight end@p:105\n",
     SOUND},
    /* 1: if fadd(a, 1) == 1 {close d}        2: d!; fadd(a, 1)                  2 ran first */
    {"a count by fetch-and-add",
     "chan d cap=1\n"
     "~init a=0\n"
     "2: straight pre(d!)@p:200; straight post(d!#1)@p:200\n"
     "2: straight rmw.sc(a)=0->1@p:201; straight end@p:202\n"
     "1: straight rmw.sc(a)=1->2@p:100; use@p:101; close(d)@p:102; straight end@p:103\n",
     SOUND},
    /* 1: lock m; x = 1; close d; unlock m
     * 2: lock m; r = x; y = r; if y == 0 {d!}; unlock m                        2 ran first */
    {"a value that was copied",
     "chan d cap=1\n"
     "~init x=0 y=0\n"
     "2: straight pre(lock(m))@p:200; straight lock(m)@p:200\n"
     "~2: straight read(x)=0@p:201; straight write(y)=0@p:202; straight read(y)=0@p:203\n"
     "2: use@p:204; pre(d!)@p:205; straight post(d!#1)@p:205\n"
     "2: straight unlock(m)@p:206; straight end@p:207\n"
     "1: straight pre(lock(m))@p:100; straight lock(m)@p:100\n"
     "~1: straight write(x)=1@p:101\n"
     "1: straight close(d)@p:102; straight unlock(m)@p:103; straight end@p:104\n",
     SOUND},
    /* 1: lock m; d!; x = 1; unlock m
     * 2: lock m; c! x; unlock m        3: if c? == 1 {close d}        1, then 2, then 3 */
    {"a value that was sent",
     "chan c cap=1\n"
     "chan d cap=1\n"
     "~init x=0\n"
     "1: straight pre(lock(m))@p:100; straight lock(m)@p:100\n"
     "1: straight pre(d!)@p:101; straight post(d!#1)@p:101\n"
     "~1: straight write(x)=1@p:102\n"
     "1: straight unlock(m)@p:103; straight end@p:104\n"
     "2: straight pre(lock(m))@p:200; straight lock(m)@p:200\n"
     "~2: straight read(x)=1@p:201\n"
     "2: straight pre(c!)@p:202; straight post(c!#1)@p:202; straight unlock(m)@p:203\n"
     "2: straight end@p:204\n"
     "3: straight pre(c?)@p:300; straight post(1#c?)@p:300; use@p:301\n"
     "3: close(d)@p:302; straight end@p:303\n",
     SOUND},
    /* 1: lock m; out p 1; e?; unlock m     2: lock m; out p 2; close d; unlock m
     * 3: if in p == 1 {d!; e!}                                            1 with 3, then 2 */
    {"two writers to a pipe",
     "chan d cap=1\n"
     "1: straight pre(lock(m))@p:100; straight lock(m)@p:100; straight out(p)=1@p:101\n"
     "3: straight in(p)=1@p:300; use@p:301; pre(d!)@p:302; straight post(d!#1)@p:302\n"
     "1: straight pre(e?)@p:102\n"
     "3: straight pre(e!)@p:303; straight post(e!)@p:303; straight end@p:304\n"
     "1: straight post(3#e?)@p:102; straight unlock(m)@p:103; straight end@p:104\n"
     "2: straight pre(lock(m))@p:200; straight lock(m)@p:200; straight out(p)=2@p:201\n"
     "2: straight close(d)@p:202; straight unlock(m)@p:203; straight end@p:204\n",
     SOUND},
    /* The same, and nobody knows what was written to. */
    {"two writers to something",
     "chan d cap=1\n"
     "1: straight pre(lock(m))@p:100; straight lock(m)@p:100; straight "
     "out(\"\")=1@p:101\n"
     "3: straight in(p)=1@p:300; use@p:301; pre(d!)@p:302; straight post(d!#1)@p:302\n"
     "1: straight pre(e?)@p:102\n"
     "3: straight pre(e!)@p:303; straight post(e!)@p:303; straight end@p:304\n"
     "1: straight post(3#e?)@p:102; straight unlock(m)@p:103; straight end@p:104\n"
     "2: straight pre(lock(m))@p:200; straight lock(m)@p:200; straight "
     "out(\"\")=2@p:201\n"
     "2: straight close(d)@p:202; straight unlock(m)@p:203; straight end@p:204\n",
     SOUND},
    /* 1: if y == 1 {close d}        2: d!; y = 1          a race, and memory is not seen */
    {"a flag without a lock",
     "chan d cap=1\n"
     "~init y=0\n"
     "2: straight pre(d!)@p:200; straight post(d!#1)@p:200\n"
     "~2: straight write(y)=1@p:201\n"
     "2: straight end@p:202\n"
     "~1: straight read(y)=1@p:100\n"
     "1: use@p:101; close(d)@p:102; straight end@p:103\n",
     RACY},
    /* 1: twice lock; if (next) {read k}; unlock        2: lock; next = 0; unlock; k = 0        1 ran first. Of its reads
     * of next only the last was kept. */
    {"a list that one thread had for itself",
     "1: straight pre(lock(m))@p:100; straight lock(m)@p:101\n"
     "~1: read(k)@p:102; use@p:103\n"
     "1: unlock(m)@p:104\n"
     "1: pre(lock(m))@p:105; lock(m)@p:106\n"
     "~1: last read(next)@p:107; use@p:108\n"
     "1: unlock(m)@p:109; end@p:110\n"
     "2: straight pre(lock(m))@p:200; straight lock(m)@p:201\n"
     "~2: straight write(next)=0@p:202\n"
     "2: straight unlock(m)@p:203\n"
     "~2: straight write(k)=0@p:204\n"
     "2: straight end@p:205\n",
     SOUND},
};

/* Which of the lines, after what it sees. */
enum sight_of_memory { MEMORY_UNSEEN, MEMORY_SEEN, MEMORY_DOUBTFUL, SIGHTS };

static void write_variant(const struct fixed *x, enum sight_of_memory memory,
                          struct fore_strbuf *out)
{
    static const char *const sees[SIGHTS] = {
        [MEMORY_UNSEEN] = "sees threads channels locks atomics outside\n",
        [MEMORY_SEEN] = "sees threads channels locks atomics memory values outside\n",
        [MEMORY_DOUBTFUL] = ("sees threads channels locks atomics outside\n"
                             "unseen \"a library writes memory\"\n")};
    fore_strbuf_clear(out);
    fore_strbuf_puts(out, sees[memory]);
    for (const char *p = x->trace; *p;) {
        size_t n = strcspn(p, "\n") + 1;
        bool hidden = *p == '~';
        if (!hidden || memory == MEMORY_SEEN)
            fore_strbuf_add(out, p + hidden, n - hidden);
        p += n;
    }
}

/* Drops every `word`, and what follows it up to the next event. */
static void drop_word(struct fore_strbuf *text, const char *word)
{
    size_t n = strlen(word);
    char *to = text->at;
    for (const char *p = text->at; *p;) {
        if (strncmp(p, word, n) == 0)
            p += n;
        else
            *to++ = *p++;
    }
    *to = '\0';
    text->n = (size_t)(to - text->at);
}

/* Is it true of the program after all? */
static bool is_true(const struct fixed *x, const struct fore_finding *f)
{
    return x->program == RACY && strcmp(f->rule->name, "data-race") == 0;
}

static unsigned count_claims(const struct fixed *x, const struct fore_strbuf *text,
                             uint32_t ablated)
{
    struct fore_findings f;
    struct fore_err e = {0};
    struct fore_strbuf b = FORE_STRBUF_INIT;
    unsigned n = 0;
    if (!analyse_text(text, ablated, &f, &e)) {
        printf("# %s: %s\n", x->name, e.msg);
        n++;
    }
    for (size_t i = 0; i < f.list.n; i++) {
        if (!is_claim(f.list.at[i]) || is_true(x, f.list.at[i]))
            continue;
        fore_strbuf_puts(&b, text->at);
        finding_print(f.list.at[i], &b);
        n++;
    }
    fputs(b.n ? b.at : "", stdout);
    fore_strbuf_release(&b);
    fore_findings_release(&f);
    return n;
}

static unsigned count_all_claims(const struct fixed *x, uint32_t ablated)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    unsigned n = 0;
    for (enum sight_of_memory memory = 0; memory < SIGHTS; memory++) {
        write_variant(x, memory, &text);
        /* With everything that the capture could mark; then without. */
        n += count_claims(x, &text, ablated);
        drop_word(&text, "straight ");
        n += count_claims(x, &text, ablated);
    }
    fore_strbuf_release(&text);
    return n;
}

/* --needs CLAUSE: without that clause something false must be claimed. --ablate CLAUSE: leaves it out. */
int main(int argc, char **argv)
{
    bool good = true, needs = argc > 2 && strcmp(argv[1], "--needs") == 0;
    bool ablates = needs || (argc > 2 && strcmp(argv[1], "--ablate") == 0);
    uint32_t ablated = ablates ? clause_named(argv[2]) : 0;
    for (size_t i = 0; i < sizeof all_fixed / sizeof *all_fixed; i++) {
        unsigned n = count_all_claims(&all_fixed[i], ablated);
        if (!needs)
            printf("%s nothing is claimed of %s\n", n ? "not ok" : "ok",
                   all_fixed[i].name);
        good &= !n;
    }
    if (needs)
        printf("%s the clause \"%s\" is needed\n", good ? "not ok" : "ok", argv[2]);
    return good != needs ? 0 : 1;
}
