/* A monitor of your own, as a shared object.
 *
 * foresee walks every run that the causal order of the observed one allows, and asks the
 * monitor what its states become in each program state. A monitor may be
 * nondeterministic: it works on sets of its states. State numbers are yours; one of them
 * is bad, and a run is reported when a set contains it. From the bad state there is no
 * way back.
 *
 *     cc -shared -fPIC -o level.so level.c
 *     property level: monitor "./level.so" (w, v)
 *
 * The object exports `const struct foresee_monitor foresee_monitor`. It runs in a process
 * of its own: when it crashes or does not answer, that is reported, and the rest goes on.
 */
#ifndef FORESEE_MONITOR_H
#define FORESEE_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#define FORESEE_MONITOR_ABI 1u

/* A program variable: an integer (also booleans and characters), or a double. */
struct foresee_monitor_value {
    uint32_t is_real;
    uint32_t reserved;
    union {
        int64_t integer;
        double real;
    } as;
};

struct foresee_monitor {
    uint32_t size; /* sizeof(struct foresee_monitor) */
    uint32_t abi;  /* FORESEE_MONITOR_ABI */
    const char *name;
    uint64_t start; /* the state before the first program state */
    uint64_t bad;
    /* The states that `states` (sorted, `count` of them) can become in the program state
     * `values` (the variables in the order in which the property names them). Writes at
     * most `room` of them to `next`, in any order, and returns how many there are. */
    size_t (*next_states)(const uint64_t *states, size_t count,
                          const struct foresee_monitor_value *values, size_t value_count,
                          uint64_t *next, size_t room);
};

extern const struct foresee_monitor foresee_monitor;

#endif
