#include "explore/hint.h"

#include "explore/walk.h"

#include <string.h>

static bool lists_keys(const struct fore_explorer *s)
{
    for (uint32_t i = 0; i < s->world.sys->def->message_count; i++)
        if (s->world.harness->keys[i] != FORE_KEY_UNLISTED)
            return true;
    return false;
}

static bool was_cut(const struct fore_row *r)
{
    return r->bound == FORE_BOUND_SCHEDULES || r->bound == FORE_BOUND_BUDGET;
}

const char *fore_hint_for(const struct fore_explorer *s)
{
    const struct fore_scheduler *rule = s->opt->scheduler;
    const struct fore_row *r = &s->row;
    bool interrupted = r->spent == FORE_SPENT_INTERRUPTED;
    if (s->opt->compat || interrupted)
        return NULL;
    if (rule == &fore_scheduler_lv && !lists_keys(s))
        return "the harness has no [keys], so LV takes all receives for independent: "
               "list in [keys] the messages that matter, or use --scheduler optimal";
    if (rule->levels)
        return r->bound == FORE_BOUND_BUDGET && !s->opt->save && !s->opt->slow
                   ? "--save F keeps what was explored, and --resume F goes on with it"
                   : NULL;
    if (s->world.harness->properties.n)
        return "[properties] of the harness are checked by --scheduler stateful and "
               "portfolio only";
    if (was_cut(r))
        return "--scheduler stateful visits each state once, however many schedules lead "
               "there";
    if (r->bound == FORE_BOUND_REDUCTION)
        return rule == &fore_scheduler_optimal
                   ? "--dependence history misses no history"
                   : "--scheduler optimal explores one schedule of each class and misses "
                     "no history";
    if (rule->everything && r->schedules >= 1000)
        return "--scheduler optimal explores one schedule of each class that clients can "
               "tell apart";
    return NULL;
}
