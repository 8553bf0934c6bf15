/* Guided search against brute force. Random small programs in a toy language are compiled to C with
 * `foresee cc`; the final states that `explore --strategy guided` has reached when it says that
 * nothing is left are those that an interpreter reaches on any order of their steps.
 *
 *     oracle FORESEE FOLDER FIRST COUNT
 *
 * A program has two or three threads, three variables, two locks, a lock for readers and writers, a semaphore, a
 * barrier for two, a condition, and a function that is run once. Each thread has one
 * local variable. The final state is all variables, those of threads included; a deadlock is one
 * state more. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS = 3, OPS = 9, VARS = 3, LOCKS = 2, BATCH = 25, MOST_FINAL = 4096 };
/* FETCH is atomic; CWAIT waits with lock 0; ONCE adds 1 to the last variable, unless that has been done. */
enum kind {
    READ,
    WRITE,
    ADD,
    FETCH,
    SKIP,
    LOCK,
    UNLOCK,
    TRY,
    POST,
    WAIT,
    RDLOCK,
    WRLOCK,
    RWUNLOCK,
    BARRIER,
    CWAIT,
    SIGNAL,
    BROADCAST,
    ONCE,
    KINDS
};

struct op {
    enum kind kind;
    int what, k; /* variable or lock; a constant */
};

struct program {
    int threads, n[THREADS];
    struct op op[THREADS][OPS + 1]; /* behind the last one there is none that waits */
};

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* ---- programs ---- */

/* What else threads wait for each other by: all operations of one row. */
static void add_other(struct program *p, int t)
{
    static const enum kind rows[][3] = {{BARRIER},
                                        {ONCE},
                                        {LOCK, CWAIT, UNLOCK},
                                        {SIGNAL},
                                        {BROADCAST},
                                        {RDLOCK, READ, RWUNLOCK},
                                        {WRLOCK, ADD, RWUNLOCK}};
    const enum kind *row = rows[below(sizeof rows / sizeof *rows)];
    for (int i = 0; i < 3 && (!i || row[i]) && p->n[t] < OPS - 1; i++)
        p->op[t][p->n[t]++] = (struct op){row[i], 0, 1};
    while (p->n[t] == OPS - 1 && p->op[t][p->n[t] - 1].kind != row[0])
        p->n[t]--; /* it would not be all of them */
}

/* Locks are given back in the end; what is skipped is one operation that is none of a lock. */
static void make_thread(struct program *p, int t)
{
    int held = -1;
    for (int n = p->threads == 2 ? 4 + (int)below(4) : 3 + (int)below(2);
         p->n[t] < n && p->n[t] < OPS - 1;) {
        struct op *o = &p->op[t][p->n[t]];
        unsigned dice = below(24);
        if (held < 0 && below(4) == 0) {
            add_other(p, t);
            continue;
        }
        o->what = (int)below(2) + (below(6) == 0);
        o->k = 1 + (int)below(3);
        o->kind = dice < 6    ? READ
                  : dice < 9  ? WRITE
                  : dice < 14 ? ADD
                  : dice < 16 ? FETCH
                  : dice < 18 ? SKIP
                  : dice < 22 ? LOCK
                  : below(3)  ? POST
                              : WAIT;
        if (o->kind == LOCK) {
            o->kind = held >= 0 ? UNLOCK : below(5) ? LOCK : TRY;
            o->what = held >= 0 ? held : (int)below(LOCKS);
            if (o->kind == LOCK)
                held = o->what;
            else if (o->kind == UNLOCK)
                held = -1;
        }
        p->n[t]++;
    }
    if (held >= 0)
        p->op[t][p->n[t]++] = (struct op){UNLOCK, held, 0};
}

static void make_program(struct program *p, uint64_t seed)
{
    *p = (struct program){0};
    state = seed * 7919 + 17;
    below(1);
    p->threads = 2 + (below(3) == 0);
    for (int t = 0; t < p->threads; t++)
        make_thread(p, t);
}

/* What a SKIP passes over. */
static bool skips(const struct program *p, int t, int at)
{
    return at + 1 < p->n[t] && p->op[t][at + 1].kind < LOCK &&
           p->op[t][at + 1].kind != SKIP;
}

static const char *const calls[KINDS] = {
    [POST] = "sem_post(&s)",
    [WAIT] = "sem_wait(&s)",
    [RDLOCK] = "pthread_rwlock_rdlock(&w)",
    [WRLOCK] = "pthread_rwlock_wrlock(&w)",
    [RWUNLOCK] = "pthread_rwlock_unlock(&w)",
    [BARRIER] = "pthread_barrier_wait(&b)",
    [CWAIT] = "pthread_cond_wait(&c, &m[0])",
    [SIGNAL] = "pthread_cond_signal(&c)",
    [BROADCAST] = "pthread_cond_broadcast(&c)",
    [ONCE] = "pthread_once(&o, run_once)",
};

static void print_op(FILE *f, const struct program *p, int t, int at)
{
    const struct op *o = &p->op[t][at];
    switch (o->kind) {
    case READ:
        fprintf(f, "    r = v[%d];\n", o->what);
        break;
    case WRITE:
        fprintf(f, "    v[%d] = %d;\n", o->what, o->k);
        break;
    case ADD:
        fprintf(f, "    v[%d] = r + %d;\n", o->what, o->k);
        break;
    case FETCH:
        fprintf(f, "    r = atomic_fetch_add(&a, %d);\n", o->k);
        break;
    case SKIP:
        if (skips(p, t, at))
            fprintf(f, "    if (r != %d)\n", o->k);
        break;
    case LOCK:
        fprintf(f, "    pthread_mutex_lock(&m[%d]);\n", o->what);
        break;
    case UNLOCK:
        fprintf(f, "    pthread_mutex_unlock(&m[%d]);\n", o->what);
        break;
    case TRY:
        fprintf(f,
                "    r = pthread_mutex_trylock(&m[%d]) == 0;\n    if (r)\n        "
                "pthread_mutex_unlock(&m[%d]);\n",
                o->what, o->what);
        break;
    default:
        fprintf(f, "    %s;\n", calls[o->kind]);
    }
}

static void print_programs(FILE *f, const struct program *p, int n)
{
    fprintf(
        f,
        "#include <fcntl.h>\n#include <pthread.h>\n#include <semaphore.h>\n"
        "#include <stdatomic.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
        "#include <unistd.h>\n"
        "static int v[%d];\nstatic atomic_int a;\nstatic int last[%d];\nstatic sem_t s;\n"
        "static pthread_mutex_t m[%d] = {PTHREAD_MUTEX_INITIALIZER, "
        "PTHREAD_MUTEX_INITIALIZER};\n"
        "static pthread_rwlock_t w = PTHREAD_RWLOCK_INITIALIZER;\n"
        "static pthread_cond_t c = PTHREAD_COND_INITIALIZER;\n"
        "static pthread_once_t o = PTHREAD_ONCE_INIT;\n"
        "static pthread_barrier_t b;\n"
        "static void run_once(void)\n{\n    v[%d]++;\n}\n",
        VARS, THREADS, LOCKS, VARS - 1);
    for (int i = 0; i < n; i++)
        for (int t = 0; t < p[i].threads; t++) {
            fprintf(f, "static void *p%d_%d(void *x)\n{\n    int r = 0;\n", i, t);
            for (int at = 0; at < p[i].n[t]; at++)
                print_op(f, &p[i], t, at);
            fprintf(f, "    last[%d] = r;\n    return x;\n}\n", t);
        }
    fprintf(f, "static void *(*const all[][%d])(void *) = {\n", THREADS);
    for (int i = 0; i < n; i++) {
        fprintf(f, "    {");
        for (int t = 0; t < p[i].threads; t++)
            fprintf(f, "p%d_%d, ", i, t);
        fprintf(f, "},\n");
    }
    fprintf(
        f,
        "};\nint main(int count, char **words)\n{\n    pthread_t t[%d];\n    char "
        "text[128];\n"
        "    int i = atoi(words[1]), n = 0;\n    (void)count;\n    sem_init(&s, 0, 0);\n"
        "    pthread_barrier_init(&b, 0, 2);\n"
        "    for (; n < %d && all[i][n]; n++)\n"
        "        pthread_create(&t[n], NULL, all[i][n], NULL);\n"
        "    for (int k = 0; k < n; k++)\n        pthread_join(t[k], NULL);\n"
        "    int size = snprintf(text, sizeof text, \"%%d %%d %%d %%d %%d %%d %%d\\n\", "
        "v[0], v[1], v[2], a, last[0], last[1], last[2]);\n"
        "    int fd = open(words[2], O_WRONLY | O_CREAT | O_APPEND, 0600);\n"
        "    return write(fd, text, (size_t)size) != size;\n}\n",
        THREADS, THREADS);
}

/* ---- the interpreter ---- */

struct world {
    int pc[THREADS], r[THREADS];
    int phase[THREADS]; /* how far the thread has come within its operation */
    int kept
        [THREADS]; /* what it keeps meanwhile: its round of the barrier, a value that it read */
    int v[VARS], a, owner[LOCKS], count, readers, writer, arrived, once;
};

enum { NEW, RUNS, RAN };           /* once */
enum { AWAKE, ASLEEP, SIGNALLED }; /* the phases of a wait for the condition */

struct finals {
    char text[MOST_FINAL][64];
    int n;
};

static void add_final(struct finals *f, const char *text)
{
    for (int i = 0; i < f->n; i++)
        if (!strcmp(f->text[i], text))
            return;
    if (f->n < MOST_FINAL)
        snprintf(f->text[f->n++], 64, "%s", text);
}

static bool can_step(const struct program *p, const struct world *w, int t)
{
    if (w->pc[t] >= p->n[t])
        return false;
    const struct op *o = &p->op[t][w->pc[t]];
    switch (o->kind) {
    case LOCK:
        return !w->owner[o->what];
    case WAIT:
        return w->count > 0;
    case RDLOCK:
        return !w->writer;
    case WRLOCK:
        return !w->writer && !w->readers;
    case BARRIER:
        return !w->phase[t] || w->arrived / 2 > w->kept[t];
    case CWAIT:
        return w->phase[t] == AWAKE || (w->phase[t] == SIGNALLED && !w->owner[0]);
    case ONCE:
        return w->phase[t] || w->once != RUNS;
    default:
        return true;
    }
}

static void next_phase(struct world *w, int t, bool over)
{
    w->phase[t] = over ? 0 : w->phase[t] + 1;
    w->pc[t] += over;
    w->kept[t] = over ? 0 : w->kept[t];
}

/* Operations that take several steps. */
static void step_in_phases(const struct op *o, struct world *w, int t)
{
    int phase = w->phase[t], *last = &w->v[VARS - 1];
    bool over = phase == 1;
    switch (o->kind) {
    case TRY:
        if (!phase)
            over = !(w->r[t] = !w->owner[o->what]);
        w->owner[o->what] = phase ? 0 : over ? w->owner[o->what] : t + 1;
        break;
    case BARRIER:
        if (!phase)
            w->kept[t] = w->arrived++ / 2;
        break;
    case CWAIT:
        w->owner[0] = phase == AWAKE ? 0 : t + 1;
        over = phase == SIGNALLED;
        break;
    default: /* ONCE: enters, reads, writes, is done */
        over = w->once == RAN || phase == 3;
        if (phase == 1)
            w->kept[t] = *last;
        if (phase == 2)
            *last = w->kept[t] + 1;
        w->once = over ? RAN : RUNS;
    }
    next_phase(w, t, over);
}

/* `woken`: whom a signal wakes, -1 if nobody waits. */
static void step(const struct program *p, struct world *w, int t, int woken)
{
    const struct op *o = &p->op[t][w->pc[t]];
    switch (o->kind) {
    case READ:
        w->r[t] = w->v[o->what];
        break;
    case WRITE:
        w->v[o->what] = o->k;
        break;
    case ADD:
        w->v[o->what] = w->r[t] + o->k;
        break;
    case FETCH:
        w->r[t] = w->a;
        w->a += o->k;
        break;
    case SKIP:
        if (skips(p, t, w->pc[t]) && w->r[t] == o->k)
            w->pc[t]++;
        break;
    case LOCK:
    case UNLOCK:
        w->owner[o->what] = o->kind == LOCK ? t + 1 : 0;
        break;
    case POST:
    case WAIT:
        w->count += o->kind == POST ? 1 : -1;
        break;
    case RDLOCK:
        w->readers++;
        break;
    case WRLOCK:
        w->writer = 1;
        break;
    case RWUNLOCK:
        w->readers -= !w->writer;
        w->writer = 0;
        break;
    case SIGNAL:
    case BROADCAST:
        for (int u = 0; u < p->threads; u++)
            if (p->op[u][w->pc[u]].kind == CWAIT && w->phase[u] == ASLEEP &&
                (o->kind == BROADCAST || u == woken))
                w->phase[u] = SIGNALLED;
        break;
    default:
        step_in_phases(o, w, t);
        return;
    }
    w->pc[t]++;
}

/* Worlds that were seen, by all their bytes. */
static struct world *seen;
static size_t seen_n, seen_cap;
static uint32_t *slots;
enum { SLOTS = 1 << 22 };

static bool is_new(const struct world *w)
{
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < sizeof *w; i++)
        h = (h ^ ((const unsigned char *)w)[i]) * 1099511628211u;
    uint32_t at = (uint32_t)(h >> 20) % SLOTS;
    for (; slots[at]; at = (at + 1) % SLOTS)
        if (!memcmp(&seen[slots[at] - 1], w, sizeof *w))
            return false;
    if (seen_n == seen_cap) {
        seen_cap = seen_cap ? seen_cap * 2 : 1024;
        seen = realloc(seen, seen_cap * sizeof *seen);
    }
    seen[seen_n++] = *w;
    slots[at] = (uint32_t)seen_n;
    return true;
}

static void enumerate(const struct program *p, struct world w, struct finals *out);

static void take_step(const struct program *p, struct world w, int t, int woken,
                      struct finals *out)
{
    step(p, &w, t, woken);
    enumerate(p, w, out);
}

static void enumerate(const struct program *p, struct world w, struct finals *out)
{
    bool any = false, over = true;
    if (!is_new(&w))
        return;
    for (int t = 0; t < p->threads; t++) {
        over &= w.pc[t] >= p->n[t];
        if (!can_step(p, &w, t))
            continue;
        any = true;
        int sleepers = 0;
        for (int u = 0; u < p->threads && p->op[t][w.pc[t]].kind == SIGNAL; u++)
            if (p->op[u][w.pc[u]].kind == CWAIT && w.phase[u] == ASLEEP) {
                sleepers++;
                take_step(p, w, t, u, out);
            }
        if (!sleepers)
            take_step(p, w, t, -1, out);
    }
    char text[64] = "deadlock";
    if (over)
        snprintf(text, sizeof text, "%d %d %d %d %d %d %d", w.v[0], w.v[1], w.v[2], w.a,
                 w.r[0], w.r[1], w.r[2]);
    if (!any)
        add_final(out, text);
}

/* ---- what the search reached ---- */

static bool run(const char *command)
{
    int status = system(command);
    return status != -1 && WIFEXITED(status) && WEXITSTATUS(status) <= 1;
}

static bool has_text(const char *path, const char *text)
{
    static char all[1 << 20];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(all, 1, sizeof all - 1, f) : 0;
    all[n] = 0;
    if (f)
        fclose(f);
    return strstr(all, text);
}

static void read_reached(const char *folder, struct finals *out, bool *complete)
{
    char path[4096], line[64];
    snprintf(path, sizeof path, "%s/finals", folder);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        add_final(out, line);
    }
    if (f)
        fclose(f);
    snprintf(path, sizeof path, "%s/found.json", folder);
    if (has_text(path, "blocked-forever") || has_text(path, "lock-cycle"))
        add_final(out, "deadlock");
    *complete =
        has_text(path, "\"complete\":true") || has_text(path, "\"complete\": true");
}

static bool is_within(const struct finals *a, const struct finals *b, const char **what)
{
    for (int i = 0; i < a->n; i++) {
        int k = 0;
        while (k < b->n && strcmp(a->text[i], b->text[k]))
            k++;
        if (k == b->n) {
            *what = a->text[i];
            return false;
        }
    }
    return true;
}

static bool compare(const struct program *p, const char *foresee, const char *folder,
                    int k, unsigned long seed, unsigned long *states)
{
    static struct finals want, got;
    const char *what = "";
    bool complete;
    want.n = got.n = 0;
    seen_n = 0;
    memset(slots, 0, SLOTS * sizeof *slots);
    struct world start = {0};
    enumerate(p, start, &want);
    char command[8192];
    snprintf(
        command, sizeof command,
        "cd %s && rm -f finals && %s explore --strategy guided --keep-going --runs "
        "200000 "
        "--no-save -q -j 1 --only blocked-forever,lock-cycle --json -o found.json -- "
        "./programs %d finals </dev/null >/dev/null 2>said",
        folder, foresee, k);
    if (!run(command)) {
        printf("not ok seed %lu: explore failed\n", seed);
        return false;
    }
    read_reached(folder, &got, &complete);
    *states += (unsigned long)want.n;
    if (!complete)
        printf("not ok seed %lu: not complete\n", seed);
    else if (!is_within(&want, &got, &what))
        printf("not ok seed %lu: '%s' was not reached (%d of %d)\n", seed, what, got.n,
               want.n);
    else if (!is_within(&got, &want, &what))
        printf("not ok seed %lu: '%s' cannot be\n", seed, what);
    else
        return true;
    return false;
}

int main(int argc, char **argv)
{
    static struct program p[BATCH];
    unsigned long good = 0, all = 0, states = 0;
    char path[4096];
    if (argc != 5)
        return 2;
    slots = calloc(SLOTS, sizeof *slots);
    unsigned long first = strtoul(argv[3], NULL, 10), count = strtoul(argv[4], NULL, 10);
    for (unsigned long seed = first; seed < first + count; seed += BATCH) {
        int n = (int)(first + count - seed < BATCH ? first + count - seed : BATCH);
        for (int i = 0; i < n; i++)
            make_program(&p[i], seed + (unsigned long)i);
        snprintf(path, sizeof path, "%s/programs.c", argv[2]);
        FILE *f = fopen(path, "w");
        if (!f)
            return 2;
        print_programs(f, p, n);
        fclose(f);
        snprintf(path, sizeof path, "cd %s && %s cc -g -O1 -w programs.c -o programs",
                 argv[2], argv[1]);
        if (!run(path))
            return 2;
        for (int i = 0; i < n; i++, all++)
            good += compare(&p[i], argv[1], argv[2], i, seed + (unsigned long)i, &states);
    }
    printf("%s control: %lu of %lu programs, %lu final states\n",
           good == all ? "ok" : "not ok", good, all, states);
    return good != all;
}
