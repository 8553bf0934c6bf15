#include "explore/print.h"

#include "base/hash.h"

#define AGAIN 0x6a09e667f3bcc908u /* the seed of the second 64 bits */

uint64_t fore_print_place(const struct fore_actors *w, const struct fore_message *m)
{
    uint64_t place = fore_harness_fifo(w->harness, m->r.from, m->r.to);
    for (uint32_t i = place ? m->prev : 0; i; i = w->msgs.at[i].prev)
        place += w->msgs.at[i].r.from == m->r.from && w->msgs.at[i].r.to == m->r.to;
    return place;
}

/* The same once more with other hashes, which have nothing to do with the first. */
static uint64_t second_print(const struct fore_explorer *s, uint32_t judge)
{
    const struct fore_actors *w = &s->world;
    uint64_t sum = 0;
    for (size_t i = 0; i < w->actors.n; i++) {
        const struct fore_actor *a = &w->actors.at[i];
        size_t size = w->sys->def->roles[a->role].state_size;
        sum += fore_hash_more(fore_hash_mix(AGAIN, (uint64_t)a->id), a->state, size);
    }
    for (uint32_t i = w->msgs.at[0].next; i; i = w->msgs.at[i].next) {
        const struct fore_message *m = &w->msgs.at[i];
        uint64_t head = fore_hash_mix(AGAIN + m->r.kind, (uint64_t)m->r.from);
        head = fore_hash_mix(head, (uint64_t)m->r.to * 64 + fore_print_place(w, m));
        sum += fore_hash_more(head, m->r.field, m->r.fields * sizeof *m->r.field);
    }
    uint64_t h = fore_hash_mix(sum, fore_judge_hash(&s->histories.judge, judge));
    h = fore_hash_more(h, &w->left, sizeof w->left);
    return fore_hash_more(h, w->isolated.at, w->isolated.n * sizeof *w->isolated.at);
}

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
    if (s->opt->wide)
        p.more = second_print(s, judge);
    return p;
}
