/* What it costs a program to record its operations: nanoseconds of processor time for each
 * pair of invoke and return, the best of ROUNDS. Usage: lin-record THREADS OPERATIONS ROUNDS
 * Prints: threads, operations of each, nanoseconds an operation. */
#include "foresee/history.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct worker {
    pthread_t thread;
    foresee_history *h;
    long operations;
    double ns;
};

static double thread_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void *work(void *arg)
{
    struct worker *w = arg;
    double start = thread_ns();
    for (long i = 0; i < w->operations; i++) {
        foresee_call *c = foresee_invoke(w->h, "write", foresee_int(i));
        foresee_return(c, foresee_nothing());
    }
    w->ns = thread_ns() - start;
    return NULL;
}

static double round_ns(struct worker *w, int threads, long operations)
{
    double sum = 0;
    foresee_history *h = foresee_history_open("register");
    for (int i = 0; i < threads; i++) {
        w[i] = (struct worker){.h = h, .operations = operations};
        if (pthread_create(&w[i].thread, NULL, work, &w[i]))
            exit(1);
    }
    for (int i = 0; i < threads; i++) {
        pthread_join(w[i].thread, NULL);
        sum += w[i].ns;
    }
    foresee_history_close(h);
    return sum / ((double)threads * (double)operations);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fputs("usage: lin-record THREADS OPERATIONS ROUNDS\n", stderr);
        return 2;
    }
    int threads = atoi(argv[1]);
    long operations = atol(argv[2]);
    struct worker *w = calloc((size_t)threads + 1, sizeof *w);
    double best = 0;
    for (int i = 0; w && i < atoi(argv[3]); i++) {
        double ns = round_ns(w, threads, operations);
        best = i == 0 || ns < best ? ns : best;
    }
    printf("%d %ld %.1f\n", threads, operations, best);
    free(w);
    return 0;
}
