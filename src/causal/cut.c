#include "causal/cut.h"

bool fore_cut_has(const struct fore_order *o, struct fore_clock cut, uint32_t event)
{
    struct fore_stamp s = o->stamps.at[event];
    return fore_clock_get(&o->clocks, cut, s.thread) >= s.time;
}

/* What the last event of a thread depends on, its earlier ones depend on nothing beyond. */
bool fore_cut_consistent(const struct fore_order *o, struct fore_clock cut)
{
    uint32_t time;
    for (uint32_t t = 1; fore_clock_next(&o->clocks, cut, &t, &time); t++) {
        if (t > fore_order_threads(o) || time > fore_order_count(o, t))
            return false;
        struct fore_stamp s = o->stamps.at[fore_order_event(o, t, time)];
        uint32_t need;
        for (uint32_t u = 1; fore_clock_next(&o->clocks, s.past, &u, &need); u++)
            if (u != t && need > fore_clock_get(&o->clocks, cut, u))
                return false;
    }
    return true;
}

struct fore_clock fore_cut_least(struct fore_order *o, uint32_t event)
{
    return fore_stamp_clock(&o->clocks, o->stamps.at[event]);
}

struct fore_clock fore_cut_greatest_without(struct fore_order *o, uint32_t event)
{
    struct fore_clock cut = {0, 0};
    for (uint32_t t = 1; t <= fore_order_threads(o); t++) {
        uint32_t n = fore_order_not_after(o, event, t);
        if (n)
            fore_clock_set(&o->clocks, &cut, t, n);
    }
    return cut;
}

struct fore_clock fore_cut_all(struct fore_order *o)
{
    struct fore_clock cut = {0, 0};
    for (uint32_t t = 1; t <= fore_order_threads(o); t++)
        if (fore_order_count(o, t))
            fore_clock_set(&o->clocks, &cut, t, fore_order_count(o, t));
    return cut;
}

/* The next event must need nothing but what the cut has, itself, and what happens with it. */
bool fore_cut_enabled(const struct fore_order *o, struct fore_clock cut, uint32_t thread)
{
    uint32_t next = fore_clock_get(&o->clocks, cut, thread) + 1, need;
    if (next > fore_order_count(o, thread))
        return false;
    struct fore_stamp s = o->stamps.at[fore_order_event(o, thread, next)];
    for (uint32_t u = 1; fore_clock_next(&o->clocks, s.past, &u, &need); u++) {
        uint32_t have = fore_clock_get(&o->clocks, cut, u);
        if (u == thread || need <= have)
            continue;
        struct fore_stamp other = o->stamps.at[fore_order_event(o, u, need)];
        if (need > have + 1 || !fore_stamp_known(&o->clocks, s, other))
            return false;
    }
    return true;
}

void fore_cut_advance(struct fore_order *o, struct fore_clock *cut, uint32_t thread)
{
    uint32_t next = fore_clock_get(&o->clocks, *cut, thread) + 1;
    FORE_BUG_IF(next > fore_order_count(o, thread));
    struct fore_clock least = fore_cut_least(o, fore_order_event(o, thread, next));
    fore_clock_join(&o->clocks, cut, least);
    fore_clock_drop(&o->clocks, &least);
}
