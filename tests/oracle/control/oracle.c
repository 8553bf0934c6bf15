/* Guided search against brute force. Random small programs in a toy language are compiled to C with
 * `foresee cc`; the final states that `explore --strategy guided` has reached when it says that
 * nothing is left are those that an interpreter reaches on any order of their steps.
 *
 *     oracle FORESEE FOLDER FIRST COUNT
 *
 * A program has two or three threads, three variables, two locks and a semaphore. Each thread has one
 * local variable. The final state is all variables, those of threads included; a deadlock is one
 * state more. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { THREADS = 3, OPS = 9, VARS = 3, LOCKS = 2, BATCH = 25, MOST_FINAL = 4096 };
enum kind { READ, WRITE, ADD, FETCH, SKIP, LOCK, UNLOCK, TRY, POST, WAIT, KINDS };

struct op {
    enum kind kind;
    int what, k; /* variable or lock; a constant */
};

struct program {
    int threads, n[THREADS];
    struct op op[THREADS][OPS];
};

static uint64_t state;

static unsigned below(unsigned n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % n;
}

/* ---- programs ---- */

/* Locks are given back in the end; what is skipped is one operation that is none of a lock. */
static void make_thread(struct program *p, int t)
{
    int held = -1;
    for (int n = p->threads == 2 ? 4 + (int)below(4) : 3 + (int)below(2);
         p->n[t] < n && p->n[t] < OPS - 1;) {
        struct op *o = &p->op[t][p->n[t]];
        unsigned dice = below(24);
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
    case POST:
        fprintf(f, "    sem_post(&s);\n");
        break;
    default:
        fprintf(f, "    sem_wait(&s);\n");
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
        "PTHREAD_MUTEX_INITIALIZER};\n",
        VARS, THREADS, LOCKS);
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
        "};\nint main(int c, char **w)\n{\n    pthread_t t[%d];\n    char text[128];\n"
        "    int i = atoi(w[1]), n = 0;\n    (void)c;\n    sem_init(&s, 0, 0);\n"
        "    for (; n < %d && all[i][n]; n++)\n"
        "        pthread_create(&t[n], NULL, all[i][n], NULL);\n"
        "    for (int k = 0; k < n; k++)\n        pthread_join(t[k], NULL);\n"
        "    int size = snprintf(text, sizeof text, \"%%d %%d %%d %%d %%d %%d %%d\\n\", "
        "v[0], v[1], v[2], a, last[0], last[1], last[2]);\n"
        "    int fd = open(w[2], O_WRONLY | O_CREAT | O_APPEND, 0600);\n"
        "    return write(fd, text, (size_t)size) != size;\n}\n",
        THREADS, THREADS);
}

/* ---- the interpreter ---- */

struct world {
    int pc[THREADS], r[THREADS], tried[THREADS]; /* tried: it has the lock of a TRY */
    int v[VARS], a, owner[LOCKS], count;
};

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
    return o->kind == LOCK ? !w->owner[o->what] : o->kind == WAIT ? w->count > 0 : true;
}

static void step(const struct program *p, struct world *w, int t)
{
    const struct op *o = &p->op[t][w->pc[t]];
    if (w->tried[t]) {
        w->owner[o->what] = 0;
        w->tried[t] = 0;
        w->pc[t]++;
        return;
    }
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
        w->owner[o->what] = t + 1;
        break;
    case UNLOCK:
        w->owner[o->what] = 0;
        break;
    case TRY:
        w->r[t] = !w->owner[o->what];
        if (w->r[t]) {
            w->owner[o->what] = t + 1;
            w->tried[t] = 1;
            return;
        }
        break;
    case POST:
        w->count++;
        break;
    default:
        w->count--;
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

static void enumerate(const struct program *p, struct world w, struct finals *out)
{
    bool any = false, over = true;
    if (!is_new(&w))
        return;
    for (int t = 0; t < p->threads; t++) {
        over &= w.pc[t] >= p->n[t];
        if (!can_step(p, &w, t))
            continue;
        struct world next = w;
        any = true;
        step(p, &next, t);
        enumerate(p, next, out);
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
