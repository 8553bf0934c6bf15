/* What differs between the programs that can be controlled. To add a host: a row in host.c, and a
 * function that names its failures. */
#ifndef FORE_EXPLORE_HOST_H
#define FORE_EXPLORE_HOST_H

#include <stdbool.h>
#include <stddef.h>

struct fore_rerun;
struct fore_failure;

struct fore_host {
    const char *name;
    const char *thread; /* the word for its threads */
    bool serves;        /* it waits behind its loader and forks for each run */
    unsigned
        early_ms; /* how long before its time a timer may fire, unless the user sets it: tests of
                   * Go packages often rely on ten milliseconds being enough for another
                   * goroutine */
    bool seeded;  /* a schedule has a seed for its other randomness */
    bool ordered; /* its recording has the order in which things were done */
    /* its recording tells better than its output which threads wait or panicked */
    bool traced;
    bool complete; /* nothing but its steps can come in another order */
    bool (*is_mine)(const char *image, size_t n); /* an ELF file */
    /* Describes how a run ended badly that did not get stuck. */
    void (*failure)(const struct fore_rerun *p, const char *output,
                    struct fore_failure *out);
};

/* Looks into the executable, which is searched for as execvp does; NULL: the program cannot be
 * controlled. */
const struct fore_host *fore_host_of(const char *argv0);

#endif
