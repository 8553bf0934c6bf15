/* Layout, all numbers as varints:
 *
 *     faults left (4)  isolated: count, ids  invoked  answered
 *     actors: count, then each: children; if created: id, role, arguments; its state
 *     messages: how many there ever were, how many pending, then each:
 *         number (distance to the one before), operation + 1, from, to, kind, fields
 *
 * A state is words of eight bytes: a mask of those that are not zero for every eight, then
 * these. Most of what protocols keep is zero most of the time. */
#include "actor/pack.h"

#include <string.h>

enum { WORDS_PER_MASK = 8, WORD = 8 };

static size_t state_size(const struct fore_actors *w, const struct fore_actor *a)
{
    return w->sys->def->roles[a->role].state_size;
}

static size_t packed_state_most(size_t size)
{
    size_t words = (size + WORD - 1) / WORD;
    return words * (FORE_VARINT_MAX + 1) + 1;
}

size_t fore_actors_packed_most(const struct fore_actors *w)
{
    size_t numbers = 16 + w->isolated.n;
    size_t n = 0;
    for (size_t i = 0; i < w->actors.n; i++) {
        numbers += 3 + FORESEE_FIELDS;
        n += packed_state_most(state_size(w, &w->actors.at[i]));
    }
    numbers += (size_t)w->pending * (5 + FORESEE_FIELDS);
    return n + numbers * FORE_VARINT_MAX;
}

static char *pack_state(const char *state, size_t size, char *out)
{
    for (size_t from = 0; from < size; from += WORDS_PER_MASK * WORD) {
        char *mask = out++;
        *mask = 0;
        for (size_t i = 0; i < WORDS_PER_MASK && from + i * WORD < size; i++) {
            size_t left = size - from - i * WORD;
            uint64_t word = 0;
            memcpy(&word, state + from + i * WORD, left < WORD ? left : WORD);
            if (!word)
                continue;
            *mask = (char)(*mask | 1 << i);
            out = fore_varint_put(out, fore_zigzag((int64_t)word));
        }
    }
    return out;
}

static void unpack_state(char *state, size_t size, struct fore_bytes_in *in)
{
    memset(state, 0, size);
    for (size_t from = 0; from < size && !in->bad; from += WORDS_PER_MASK * WORD) {
        if (in->at == in->end) {
            in->bad = true;
            return;
        }
        unsigned mask = (unsigned char)*in->at++;
        for (size_t i = 0; mask >> i && from + i * WORD < size; i++) {
            size_t left = size - from - i * WORD;
            if (!(mask >> i & 1))
                continue;
            uint64_t word = (uint64_t)fore_unzigzag(fore_varint_get(in));
            memcpy(state + from + i * WORD, &word, left < WORD ? left : WORD);
        }
    }
}

static char *pack_actors(const struct fore_actors *w, char *out)
{
    out = fore_varint_put(out, w->actors.n);
    for (size_t i = 0; i < w->actors.n; i++) {
        const struct fore_actor *a = &w->actors.at[i];
        out = fore_varint_put(out, a->children);
        if (i >= w->harness->agents.n) {
            out = fore_varint_put(out, (uint64_t)a->id);
            out = fore_varint_put(out, a->role);
            for (int k = 0; k < FORESEE_FIELDS; k++)
                out = fore_varint_put(out, fore_zigzag(a->args[k]));
        }
        out = pack_state(a->state, state_size(w, a), out);
    }
    return out;
}

static void unpack_actors(struct fore_actors *w, struct fore_bytes_in *in)
{
    size_t n = fore_varint_get(in);
    w->actors.n = w->harness->agents.n;
    w->actors_hash = 0;
    for (size_t i = 0; i < n && !in->bad; i++) {
        uint32_t children = (uint32_t)fore_varint_get(in);
        if (i >= w->harness->agents.n) {
            int64_t id = (int64_t)fore_varint_get(in), args[FORESEE_FIELDS];
            uint64_t role = fore_varint_get(in);
            for (int k = 0; k < FORESEE_FIELDS; k++)
                args[k] = fore_unzigzag(fore_varint_get(in));
            in->bad |= role >= w->sys->def->role_count;
            if (in->bad)
                return;
            fore_actors_add(w, id, (uint32_t)role, args);
        }
        struct fore_actor *a = &w->actors.at[i];
        a->children = children;
        unpack_state(a->state, state_size(w, a), in);
        a->hash = fore_actor_hash(w, a);
        w->actors_hash += a->hash;
    }
    in->bad |= n < w->harness->agents.n;
}

static char *pack_messages(const struct fore_actors *w, char *out)
{
    uint32_t last = 0;
    out = fore_varint_put(out, w->msgs.n);
    out = fore_varint_put(out, w->pending);
    for (uint32_t i = w->msgs.at[0].next; i; i = w->msgs.at[i].next) {
        const struct fore_message *m = &w->msgs.at[i];
        out = fore_varint_put(out, i - last);
        out = fore_varint_put(out, (uint64_t)(m->op + 1));
        out = fore_varint_put(out, fore_zigzag(m->r.from));
        out = fore_varint_put(out, fore_zigzag(m->r.to));
        out = fore_varint_put(out, m->r.kind);
        for (uint32_t f = 0; f < m->r.fields; f++)
            out = fore_varint_put(out, fore_zigzag(m->r.field[f]));
        last = i;
    }
    return out;
}

static void unpack_message(struct fore_actors *w, uint32_t number, uint32_t before,
                           struct fore_bytes_in *in)
{
    struct fore_message *m = &w->msgs.at[number];
    m->op = (int32_t)fore_varint_get(in) - 1;
    m->r.from = fore_unzigzag(fore_varint_get(in));
    m->r.to = fore_unzigzag(fore_varint_get(in));
    m->r.kind = (uint32_t)fore_varint_get(in);
    in->bad |= m->r.kind >= w->sys->def->message_count;
    m->r.fields = in->bad ? 0 : w->sys->kinds[m->r.kind].fields;
    for (uint32_t f = 0; f < m->r.fields; f++)
        m->r.field[f] = fore_unzigzag(fore_varint_get(in));
    m->slot = fore_actors_slot(w, m->r.to);
    in->bad |= m->slot == UINT32_MAX;
    m->id = 0;
    m->sent_by = m->received_by = 0;
    m->prev = before;
    m->next = 0;
    w->msgs.at[before].next = number;
    w->msgs.at[0].prev = number;
    if (!in->bad)
        fore_actors_count_message(w, number);
}

static void unpack_messages(struct fore_actors *w, struct fore_bytes_in *in)
{
    uint64_t all = fore_varint_get(in), pending = fore_varint_get(in);
    in->bad |= all < 1 || all > FORE_MESSAGES_MAX || pending >= all;
    if (in->bad)
        return;
    fore_vec_reserve(&w->msgs, all);
    w->msgs.n = all;
    w->msgs.at[0].next = w->msgs.at[0].prev = 0;
    w->bag = 0;
    w->pending = 0;
    uint32_t last = 0;
    for (uint64_t i = 0; i < pending && !in->bad; i++) {
        uint64_t number = last + fore_varint_get(in);
        in->bad |= number <= last || number >= all;
        if (!in->bad)
            unpack_message(w, (uint32_t)number, last, in);
        last = (uint32_t)number;
    }
}

char *fore_actors_pack(const struct fore_actors *w, char *out)
{
    out = fore_varint_put(out, w->left.drop);
    out = fore_varint_put(out, w->left.duplicate);
    out = fore_varint_put(out, w->left.crash);
    out = fore_varint_put(out, w->left.partition);
    out = fore_varint_put(out, w->isolated.n);
    for (size_t i = 0; i < w->isolated.n; i++)
        out = fore_varint_put(out, (uint64_t)w->isolated.at[i]);
    out = fore_varint_put(out, w->invoked);
    out = fore_varint_put(out, w->answered);
    return pack_messages(w, pack_actors(w, out));
}

bool fore_actors_unpack(struct fore_actors *w, struct fore_bytes_in *in)
{
    w->left.drop = (uint32_t)fore_varint_get(in);
    w->left.duplicate = (uint32_t)fore_varint_get(in);
    w->left.crash = (uint32_t)fore_varint_get(in);
    w->left.partition = (uint32_t)fore_varint_get(in);
    w->isolated.n = 0;
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--)
        fore_vec_push(&w->isolated, (int64_t)fore_varint_get(in));
    w->invoked = fore_varint_get(in);
    w->answered = fore_varint_get(in);
    w->steps.n = w->undo.n = w->replies.n = 0;
    w->trouble = FORE_TROUBLE_NONE;
    unpack_actors(w, in);
    if (!in->bad)
        unpack_messages(w, in);
    return !in->bad;
}
