/* Shows what a controlled run left behind.
 *   control-outcome OUTCOME                the outcome, and who is left
 *   control-outcome OUTCOME steps          each step
 *   control-outcome OUTCOME goes SEED      a schedule that repeats the run
 *   control-outcome OUTCOME again N CMD... runs CMD N times more: is each run like the one that left OUTCOME, in its
 *                                          steps, its end, and the file `out` that its output went to? */
#include "capture/control/outcome.h"
#include "capture/control/schedule.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *word_of(unsigned kind)
{
    const char *word = fore_schedule_word(kind);
    return word ? word : "-";
}

static const char *path_of(const struct fore_outcome *o, uint32_t thread)
{
    return thread < FORE_OUTCOME_THREADS ? o->thread[thread].path : "?";
}

static void show_outcome(const struct fore_outcome *o)
{
    static const char *const end[] = {"running", "exited", "stuck"};
    static const char *const state[] = {"new", "runs", "waits", "outside", "over"};
    uint32_t n = o->threads < FORE_OUTCOME_THREADS ? o->threads : FORE_OUTCOME_THREADS;
    printf("end %s, %u of %u steps, %u threads, %llu choices, %llu logged, hash %016llx\n",
           end[o->end % 3], o->done, o->steps, o->threads, (unsigned long long)o->choices,
           (unsigned long long)o->logged, (unsigned long long)o->hash);
    if (o->deviated)
        printf("deviated: %s\n", o->reason);
    if (o->uncontrolled)
        printf("uncontrolled: %s\n", o->uncontrolled_by);
    if (o->met)
        printf("met: %u\n", o->met);
    for (uint32_t i = 0; i < o->races; i++)
        printf("race: %s, %s\n", o->race[i].place[0], o->race[i].place[1]);
    for (uint32_t i = 0; i < n; i++) {
        const struct fore_outcome_thread *t = &o->thread[i];
        if (t->state != FORE_OUTCOME_OVER && t->state != FORE_OUTCOME_RUNS)
            printf("left: %s %s%s in %s at %s\n", t->path, state[t->state % 5],
                   t->blocked ? " blocked" : "", word_of(t->kind), t->place);
    }
}

static void show_steps(const struct fore_outcome *o, const struct fore_outcome_step *s)
{
    for (uint64_t i = 0; i < o->logged; i++)
        printf("%s %s %u%s\n", path_of(o, s[i].thread), word_of(s[i].kind),
               s[i].site >> 8, s[i].flags & FORE_OUTCOME_CHOICE ? " choice" : "");
}

static void show_goes(const struct fore_outcome *o, const struct fore_outcome_step *s,
                      const char *seed)
{
    printf("%s\nseed %s\n", FORE_SCHEDULE_FIRST_LINE, seed);
    for (uint64_t i = 0, k; i < o->logged; i = k) {
        for (k = i; k < o->logged && s[k].thread == s[i].thread;)
            k++;
        printf("%s goes %llu\n", path_of(o, s[i].thread), (unsigned long long)(k - i));
    }
    puts("then free");
}

/* ---- the same again ---- */

static const struct fore_outcome_step *steps_of(const struct fore_outcome *o)
{
    return (const struct fore_outcome_step *)((const char *)o + FORE_OUTCOME_STEPS);
}

static const struct fore_outcome *map_outcome(const char *path, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY);
    void *at = MAP_FAILED;
    if (fd >= 0 && !fstat(fd, &st) && (*size = (size_t)st.st_size) >= FORE_OUTCOME_STEPS)
        at = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
    if (fd >= 0)
        close(fd);
    return at == MAP_FAILED ? NULL : at;
}

/* What a run wrote to its file `out`. */
static size_t read_out(const char *path, char *into, size_t most)
{
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(into, 1, most, f) : 0;
    if (f)
        fclose(f);
    return n;
}

static int run_once(char **argv, const char *out)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        int in = open("/dev/null", O_RDONLY);
        int to = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (in < 0 || to < 0 || dup2(in, 0) < 0 || dup2(to, 1) < 0 || dup2(to, 2) < 0)
            _exit(126);
        signal(SIGALRM, SIG_DFL);
        alarm(60);
        execvp(argv[0], argv);
        _exit(127);
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid ? status : -1;
}

/* Addresses are of no importance. */
static int are_alike(const struct fore_outcome *a, const struct fore_outcome *b)
{
    const struct fore_outcome_step *s = steps_of(a), *t = steps_of(b);
    if (a->end != b->end || a->logged != b->logged || a->choices != b->choices ||
        a->hash != b->hash || a->threads != b->threads ||
        a->uncontrolled != b->uncontrolled)
        return 0;
    for (uint64_t i = 0; i < a->logged; i++)
        if (s[i].thread != t[i].thread || s[i].kind != t[i].kind ||
            s[i].site != t[i].site || s[i].flags != t[i].flags)
            return 0;
    return 1;
}

static int run_again(const char *path, const struct fore_outcome *first, unsigned n,
                     char **argv)
{
    static char said[2][1 << 16];
    int status = 0, others = 0;
    size_t size, words = read_out("out", said[0], sizeof *said);
    char *copy = malloc(strlen(path) + 7);
    if (!copy)
        return 2;
    sprintf(copy, "%s.again", path);
    setenv("FORESEE_OUTCOME", copy, 1);
    for (unsigned i = 0; i < n; i++) {
        unlink(copy);
        int now = run_once(argv, "out.again");
        const struct fore_outcome *o = map_outcome(copy, &size);
        int alike = o && are_alike(first, o) && (i == 0 || now == status) &&
                    read_out("out.again", said[1], sizeof *said) == words &&
                    !memcmp(said[0], said[1], words);
        status = now;
        if (!alike && o && !others) {
            printf("run %u differs:\n", i + 2);
            show_outcome(first);
            show_outcome(o);
        }
        others += !alike;
        if (o)
            munmap((void *)(uintptr_t)o, size);
    }
    printf("%u of %u runs are alike\n", n + 1 - (unsigned)others, n + 1);
    free(copy);
    return others != 0;
}

int main(int argc, char **argv)
{
    size_t size;
    const struct fore_outcome *o = argc > 1 ? map_outcome(argv[1], &size) : NULL;
    int status = 0;
    if (!o)
        return 2;
    if (memcmp(o->magic, FORE_OUTCOME_MAGIC, sizeof o->magic) != 0) {
        puts("no outcome");
        return 1;
    }
    if (argc > 4 && !strcmp(argv[2], "again"))
        status = run_again(argv[1], o, (unsigned)atoi(argv[3]), argv + 4);
    else if (argc > 3 && !strcmp(argv[2], "goes"))
        show_goes(o, steps_of(o), argv[3]);
    else if (argc > 2 && !strcmp(argv[2], "steps"))
        show_steps(o, steps_of(o));
    else
        show_outcome(o);
    munmap((void *)(uintptr_t)o, size);
    return status;
}
