#include "explore/results.h"

#include "base/mem.h"

#include <string.h>

void fore_results_number(struct fore_strbuf *out, uint64_t v)
{
    char text[FORE_VARINT_MAX];
    fore_strbuf_add(out, text, (size_t)(fore_varint_put(text, v) - text));
}

enum { RESPONSE = 1, ENDED = 2, OPEN = 4 };

/* Parents come before their children. */
static void pack_histories(const struct fore_histories *h, struct fore_strbuf *out)
{
    fore_results_number(out, h->nodes.n);
    for (size_t i = 0; i < h->nodes.n; i++) {
        const struct fore_history_node *n = &h->nodes.at[i];
        fore_results_number(out, n->parent);
        fore_results_number(out, n->op);
        fore_results_number(out, (n->response ? RESPONSE : 0u) | (n->ended ? ENDED : 0u) |
                                     (n->open ? OPEN : 0u));
        fore_results_number(out, fore_zigzag(n->result));
    }
    fore_results_number(out, h->check_ns);
}

static bool unpack_histories(struct fore_histories *h, struct fore_bytes_in *in)
{
    FORE_VEC(uint32_t) names = {0}; /* there -> here */
    uint64_t count = fore_varint_get(in);
    for (uint64_t i = 0; i < count && !in->bad; i++) {
        uint64_t parent = fore_varint_get(in), op = fore_varint_get(in);
        uint64_t flags = fore_varint_get(in);
        int64_t result = fore_unzigzag(fore_varint_get(in));
        uint32_t node = 0;
        in->bad |= op >= FORE_OPS_MAX || (i && parent >= i);
        if (in->bad)
            break;
        if (i && flags & RESPONSE)
            node = fore_histories_respond(h, names.at[parent], (uint32_t)op, result);
        else if (i)
            node = fore_histories_invoke(h, names.at[parent], (uint32_t)op);
        fore_vec_push(&names, node);
        if (flags & ENDED)
            fore_histories_end(h, node, flags & OPEN);
    }
    h->check_ns = fore_varint_get(in);
    fore_vec_release(&names);
    return !in->bad;
}

static void pack_bug(const struct fore_bug_report *b, struct fore_strbuf *out)
{
    fore_results_number(out, b->count);
    fore_results_number(out, b->steps);
    fore_results_number(out, b->faults);
    fore_results_number(out, b->schedule.n);
    for (size_t i = 0; i < b->schedule.n; i++) {
        fore_results_number(out, b->schedule.at[i].id);
        fore_results_number(out, b->schedule.at[i].how);
    }
    fore_results_number(out, b->why.n);
    fore_strbuf_add(out, b->why.at, b->why.n);
}

static void unpack_bug(struct fore_bug_report *b, struct fore_bytes_in *in)
{
    b->count = fore_varint_get(in);
    b->steps = fore_varint_get(in);
    b->faults = fore_varint_get(in);
    for (uint64_t n = fore_varint_get(in); n && !in->bad; n--) {
        uint64_t id = fore_varint_get(in);
        enum fore_how how = (enum fore_how)fore_varint_get(in);
        fore_vec_push(&b->schedule, (struct fore_schedule_choice){id, how});
    }
    uint64_t n = fore_varint_get(in);
    in->bad |= n > (uint64_t)(in->end - in->at);
    if (in->bad)
        return;
    fore_strbuf_add(&b->why, in->at, n);
    in->at += n;
}

enum { NUMBERS = 12 };

/* Where the row's counts are, in the order in which they are sent. */
static void list_numbers(struct fore_row *r, uint64_t *at[NUMBERS])
{
    uint64_t *const all[NUMBERS] = {&r->schedules,    &r->incomplete, &r->first_bug,
                                    &r->first_bug_ns, &r->steps,      &r->stateless_steps,
                                    &r->redundant,    &r->states,     &r->ns,
                                    &r->transitions,  &r->walks,      &r->on_disk};
    memcpy(at, all, sizeof all);
}

void fore_results_pack(const struct fore_explorer *s, struct fore_strbuf *out)
{
    struct fore_row row = s->row;
    uint64_t *at[NUMBERS];
    list_numbers(&row, at);
    for (size_t i = 0; i < NUMBERS; i++)
        fore_results_number(out, *at[i]);
    fore_results_number(out, row.bound);
    fore_results_number(out, row.spent);
    for (int i = 0; i < FORE_BUGS; i++)
        pack_bug(&s->bugs[i], out);
    pack_histories(&s->histories, out);
}

bool fore_results_merge(struct fore_explorer *into, struct fore_bytes_in *in)
{
    struct fore_explorer *other = fore_explorer_twin(into, 0);
    uint64_t *at[NUMBERS];
    list_numbers(&other->row, at);
    for (size_t i = 0; i < NUMBERS; i++)
        *at[i] = fore_varint_get(in);
    other->row.bound = (enum fore_bound)fore_varint_get(in);
    other->row.spent = (enum fore_spent)fore_varint_get(in);
    for (int i = 0; i < FORE_BUGS; i++)
        unpack_bug(&other->bugs[i], in);
    bool good = unpack_histories(&other->histories, in);
    if (good)
        fore_explorer_merge(into, other);
    if (good && other->row.ns > into->row.ns)
        into->row.ns = other->row.ns; /* the ranks worked at the same time */
    fore_explorer_release(other);
    fore_free(other);
    return good;
}
