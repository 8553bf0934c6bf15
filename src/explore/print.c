#include "explore/print.h"

#include "base/hash.h"

struct fore_print fore_print_of(const struct fore_explorer *s, uint32_t judge)
{
    const struct fore_actors *w = &s->world;
    uint64_t seen = fore_judge_hash(&s->histories.judge, judge);
    struct fore_print p = {fore_hash_mix(fore_actors_hash(w), seen), 0};
    const struct fore_faults *f = &w->left;
    if (f->drop | f->duplicate | f->crash | f->partition | w->isolated.n) {
        p.at = fore_hash_more(p.at, f, sizeof *f);
        p.at =
            fore_hash_more(p.at, w->isolated.at, w->isolated.n * sizeof *w->isolated.at);
    }
    return p;
}
