/* A monitor for foresee: the water w must not rise twice while the valve v stays as it is.
 * foresee shows it every program state of every run that the observed order allows. */
#include <foresee/monitor.h>

/* A state is what the monitor remembers: w, v, and how often w rose with this v. State
 * numbers may be anything; here they hold the three values. */
enum { START = 0, BAD = 1 };

static uint64_t remember(int64_t w, int64_t v, unsigned rises)
{
    return (uint64_t)(uint32_t)w << 32 | (uint64_t)((uint32_t)v & 0xffffff) << 8 |
           rises << 4 | 2;
}

static uint64_t next(uint64_t state, int64_t w, int64_t v)
{
    if (state == BAD || state == START)
        return state == BAD ? state : remember(w, v, 0);
    int64_t old_w = (int32_t)(state >> 32), old_v = (int64_t)(state >> 8 & 0xffffff);
    unsigned rises = (unsigned)(state >> 4 & 15);
    if (v != old_v)
        return remember(w, v, 0);
    if (w > old_w && ++rises == 2)
        return BAD;
    return remember(w, v, rises);
}

/* The set of states after the program state (w, v). This monitor knows one state at a time; one
 * that guesses returns several. */
static size_t next_states(const uint64_t *states, size_t count,
                          const struct foresee_monitor_value *values, size_t value_count,
                          uint64_t *out, size_t room)
{
    if (value_count != 2)
        return 0;
    for (size_t i = 0; i < count && i < room; i++)
        out[i] = next(states[i], values[0].as.integer, values[1].as.integer);
    return count;
}

const struct foresee_monitor foresee_monitor = {
    .size = sizeof(struct foresee_monitor),
    .abi = FORESEE_MONITOR_ABI,
    .name = "NAME",
    .start = START,
    .bad = BAD,
    .next_states = next_states,
};
