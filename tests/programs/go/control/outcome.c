/* Shows what a controlled run left behind.
 *   control-outcome OUTCOME                the outcome, and who is left
 *   control-outcome OUTCOME steps          each step
 *   control-outcome OUTCOME goes SEED      a schedule that repeats the run */
#include "capture/control/outcome.h"
#include "capture/control/schedule.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
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

int main(int argc, char **argv)
{
    struct stat st;
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || fstat(fd, &st) || (size_t)st.st_size < FORE_OUTCOME_STEPS)
        return 2;
    void *at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at == MAP_FAILED)
        return 2;
    const struct fore_outcome *o = at;
    const struct fore_outcome_step *s =
        (const struct fore_outcome_step *)((const char *)at + FORE_OUTCOME_STEPS);
    if (memcmp(o->magic, FORE_OUTCOME_MAGIC, sizeof o->magic) != 0) {
        puts("no outcome");
        return 1;
    }
    if (argc > 3 && !strcmp(argv[2], "goes"))
        show_goes(o, s, argv[3]);
    else if (argc > 2 && !strcmp(argv[2], "steps"))
        show_steps(o, s);
    else
        show_outcome(o);
    munmap(at, (size_t)st.st_size);
    return 0;
}
