#include "report/export.h"

#include "base/hash.h"

/* What identifies a communication from both of its sides; 0: not half of one. */
static uint64_t key_of(const struct fore_trace *t, const struct fore_event *e,
                       bool *source)
{
    uint64_t k = fore_hash_mix(e->object, 1);
    bool buffered =
        e->object < t->tables.objects.n && t->tables.objects.at[e->object].capacity > 0;
    *source = false;
    if (e->flags & (FORE_F_PRE | FORE_F_CLOSED))
        return 0;
    switch (e->kind) {
    case FORE_EV_SEND:
        *source = true;
        return fore_hash_mix(fore_hash_mix(k, buffered ? 0 : e->thread), e->a);
    case FORE_EV_RECV:
        return buffered ? fore_hash_mix(fore_hash_mix(k, 0), e->a)
                        : fore_hash_mix(fore_hash_mix(k, e->a), e->b);
    case FORE_EV_SIGNAL:
    case FORE_EV_SPAWN:
        *source = true;
        return fore_hash_mix(2, e->a);
    case FORE_EV_WAIT:
        return fore_hash_mix(2, e->thread);
    case FORE_EV_END:
        *source = true;
        return fore_hash_mix(3, e->thread);
    case FORE_EV_JOIN:
        return fore_hash_mix(3, e->a);
    case FORE_EV_ASEND:
        *source = true;
        return fore_hash_mix(4, e->a);
    case FORE_EV_ARECV:
        return fore_hash_mix(4, e->a);
    default:
        return 0;
    }
}

uint32_t *fore_trace_partners(const struct fore_trace *t)
{
    struct fore_map sources = {0};
    uint32_t *partner = fore_calloc(t->events.n + 1, sizeof *partner);
    bool source;
    /* Two passes: the posts of an unbuffered pair may come either way. */
    for (size_t i = 0; i < t->events.n; i++) {
        uint64_t key = key_of(t, &t->events.at[i], &source);
        if (key && source)
            *fore_map_put(&sources, key, NULL) = i + 1;
    }
    for (size_t i = 0; i < t->events.n; i++) {
        uint64_t key = key_of(t, &t->events.at[i], &source);
        uint64_t *from = key && !source ? fore_map_get(&sources, key) : NULL;
        partner[i] = from ? (uint32_t)*from : 0;
    }
    fore_map_release(&sources);
    return partner;
}
