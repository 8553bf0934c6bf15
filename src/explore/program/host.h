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
    const char *thread; /* what its threads are called */
    bool serves;        /* it waits behind its loader and forks for each run */
    unsigned
        early_ms; /* how long before its time a timer may fire, if the user does not say it: tests of Go's packages
                         * often take it that ten milliseconds suffice for another goroutine */
    bool seeded;  /* a schedule has a seed for what else is random in it */
    bool ordered; /* its recording is in the order in which things were done */
    bool traced;  /* its recording tells better than its output who waits, or panicked */
    bool complete; /* its steps are all that can come otherwise */
    bool (*is_mine)(const char *image, size_t n); /* an ELF file */
    /* How a run ended badly that was not stuck. */
    void (*failure)(const struct fore_rerun *p, const char *output,
                    struct fore_failure *out);
};

/* Looks into the executable, which is found as execvp does; NULL: it cannot be controlled. */
const struct fore_host *fore_host_of(const char *argv0);

#endif
