/* Messages between ranks:
 *
 *     B level, then fingerprint, length, record …   states for the level that is named
 *     W wave, level, what is asked                  from the root, down a binary tree
 *     R wave, sums, results if it is the last       back up the tree
 *     A                                             to the root: stop, a limit was reached
 *
 * When is a level over? A rank's queue for a level does not grow any more once the level began, so
 * a rank that has used it up and flushed its batches sends nothing until the next level. It
 * reports only then. When all have reported, the sum of batches sent is final, and the level is
 * over when as many were received; if not, the root asks again. The same holds for a pause, in
 * which ranks stop before their queues are used up. So neither delays nor reordering can end a
 * level too early (counting as in Mattern, Algorithms for distributed termination detection, 1987; one count
 * is enough because work begets no work within a level).
 *
 * Only the latest wave counts. It names the level, so that a rank that hears of a level before
 * it was told to begin it, by a wave or by a batch of a rank that is ahead, begins it then. */
#include "explore/levels.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/progress.h"
#include "explore/checkpoint.h"

#include <string.h>

#define BATCH 32768
#define LATELY ((size_t)1 << 16) /* at most, and fewer if memory is little */
#define LATELY_FIRST ((size_t)1 << 9)

static char *put_print(const struct fore_levels *k, struct fore_print p, char *at)
{
    memcpy(at, &p.at, sizeof p.at);
    if (k->plan->wide)
        memcpy(at + sizeof p.at, &p.more, sizeof p.more);
    return at + (k->plan->wide ? 2 : 1) * sizeof p.at;
}

static bool get_print(const struct fore_levels *k, struct fore_bytes_in *in,
                      struct fore_print *p)
{
    size_t n = (k->plan->wide ? 2 : 1) * sizeof p->at;
    *p = (struct fore_print){0, 0};
    if ((size_t)(in->end - in->at) < n)
        return false;
    memcpy(p, in->at, n);
    in->at += n;
    return true;
}

static void ship_states(struct fore_levels *k, uint32_t to)
{
    k->t->send(k->t, to, k->out.at[to].at, k->out.at[to].n);
    fore_strbuf_clear(&k->out.at[to]);
    k->sent++;
}

static void flush_states(struct fore_levels *k)
{
    for (uint32_t i = 0; i < k->out.n; i++)
        if (k->out.at[i].n)
            ship_states(k, i);
}

static size_t most_lately(const struct fore_levels *k)
{
    size_t n = LATELY;
    while (n > 1 && k->plan->bytes && n * sizeof *k->lately > k->plan->bytes / 64)
        n /= 2;
    return n;
}

/* A small search need not touch all of it. */
static void grow_lately(struct fore_levels *k)
{
    struct fore_print *old = k->lately;
    size_t before = k->latelys, most = most_lately(k);
    k->latelys = before ? before * 8 : LATELY_FIRST;
    k->latelys = k->latelys < most ? k->latelys : most;
    k->lately = fore_calloc(k->latelys, sizeof *k->lately);
    k->latelys_new = 0;
    for (size_t i = 0; i < before; i++)
        k->lately[old[i].at & (k->latelys - 1)] = old[i];
    fore_free(old);
}

/* What was sent once is known to its owner. */
static bool sent_lately(struct fore_levels *k, struct fore_print p)
{
    if (k->latelys_new >= k->latelys && (!k->latelys || k->latelys < most_lately(k)))
        grow_lately(k);
    struct fore_print *place = &k->lately[p.at & (k->latelys - 1)];
    if (place->at == p.at && place->more == p.more)
        return true;
    *place = p;
    k->latelys_new++;
    return false;
}

void fore_levels_send(struct fore_levels *k, uint32_t owner, struct fore_print p)
{
    struct fore_strbuf *b = &k->out.at[owner];
    if (sent_lately(k, p))
        return;
    if (!b->n) {
        char head[1 + FORE_VARINT_MAX] = {'B'};
        fore_strbuf_add(b, head,
                        (size_t)(fore_varint_put(head + 1, k->level + 1) - head));
    }
    size_t most = fore_levels_record_most(k) + sizeof p + sizeof(uint32_t), from = b->n;
    char *at = fore_strbuf_extend(b, most), *length = put_print(k, p, at);
    char *record = length + sizeof(uint32_t);
    uint32_t n = (uint32_t)(fore_levels_pack(k, record) - record);
    memcpy(length, &n, sizeof n);
    b->n = from + (size_t)(record + n - at);
    if (b->n >= BATCH)
        ship_states(k, owner);
}

static void take_batch(struct fore_levels *k, struct fore_bytes_in *in)
{
    uint32_t level = (uint32_t)fore_varint_get(in), n;
    struct fore_print p;
    if (level > k->level + 1) /* some rank knows that this level is over */
        fore_levels_advance(k);
    k->received++;
    while (get_print(k, in, &p)) {
        memcpy(&n, in->at, sizeof n);
        fore_levels_accept(k, p, in->at + sizeof n, n);
        in->at += sizeof n + n;
    }
}

static uint32_t child_of(const struct fore_levels *k, uint32_t i)
{
    return 2 * k->t->rank + 1 + i;
}

static uint32_t count_children(const struct fore_levels *k)
{
    uint32_t first = child_of(k, 0);
    return first >= k->t->ranks ? 0 : first + 1 >= k->t->ranks ? 1 : 2;
}

/* Enters a wave and passes it on. */
static void begin_wave(struct fore_levels *k, uint64_t wave, uint32_t level,
                       enum fore_wave asked)
{
    char text[1 + 3 * FORE_VARINT_MAX] = {'W'};
    char *end = fore_varint_put(text + 1, wave);
    end = fore_varint_put(fore_varint_put(end, level), asked);
    for (uint32_t i = 0; i < count_children(k); i++)
        k->t->send(k->t, child_of(k, i), text, (size_t)(end - text));
    if (level > k->level)
        fore_levels_advance(k);
    k->wave = wave;
    k->asked = asked;
    k->reported = false;
    k->reports = 0;
    k->sums = (struct fore_sums){0};
}

static void take_wave(struct fore_levels *k, struct fore_bytes_in *in)
{
    uint64_t wave = fore_varint_get(in);
    uint32_t level = (uint32_t)fore_varint_get(in);
    enum fore_wave asked = (enum fore_wave)fore_varint_get(in);
    if (wave > k->wave)
        begin_wave(k, wave, level, asked);
}

static void take_report(struct fore_levels *k, struct fore_bytes_in *in)
{
    if (fore_varint_get(in) != k->wave)
        return;
    k->reports++;
    k->sums.sent += fore_varint_get(in);
    k->sums.received += fore_varint_get(in);
    k->sums.next += fore_varint_get(in);
    k->sums.states += fore_varint_get(in);
    k->sums.failed |= fore_varint_get(in) != 0;
    if (k->asked == FORE_WAVE_END)
        FORE_BUG_IF(!fore_levels_merge_results(k, in));
}

static void add_own(struct fore_levels *k)
{
    k->sums.sent += k->sent;
    k->sums.received += k->received;
    k->sums.next += k->next.count;
    k->sums.states += k->s->row.states;
    k->sums.failed |= k->store.failed || k->now.failed || k->next.failed;
}

static void report_level(struct fore_levels *k)
{
    char text[1 + 6 * FORE_VARINT_MAX] = {'R'};
    char *at = fore_varint_put(text + 1, k->wave);
    at = fore_varint_put(at, k->sums.sent);
    at = fore_varint_put(at, k->sums.received);
    at = fore_varint_put(at, k->sums.next);
    at = fore_varint_put(at, k->sums.states);
    at = fore_varint_put(at, k->sums.failed);
    struct fore_strbuf all = FORE_STRBUF_INIT;
    fore_strbuf_add(&all, text, (size_t)(at - text));
    if (k->asked == FORE_WAVE_END)
        fore_levels_pack_results(k, &all);
    k->t->send(k->t, (k->t->rank - 1) / 2, all.at, all.n);
    fore_strbuf_release(&all);
    k->ended = k->asked == FORE_WAVE_END;
}

static void ask_ranks(struct fore_levels *k, enum fore_wave what, uint32_t level)
{
    begin_wave(k, k->wave + 1, level, what);
}

static bool save_is_due(const struct fore_levels *k)
{
    if (!k->plan->save || k->plan->save_every <= 0)
        return false;
    return (double)(fore_now_ns() - k->saved_ns) > k->plan->save_every * 1e9;
}

static void end_level(struct fore_levels *k)
{
    if (k->sums.next)
        ask_ranks(k, FORE_WAVE_WORK, k->level + 1);
    else
        ask_ranks(k, FORE_WAVE_END, k->level);
}

/* All ranks have reported: the root decides. */
static void decide_next_wave(struct fore_levels *k)
{
    bool settled = k->sums.sent == k->sums.received;
    if (k->sums.failed)
        k->stopping = true;
    switch (k->asked) {
    case FORE_WAVE_WORK:
        if (settled)
            end_level(k);
        else
            ask_ranks(k, FORE_WAVE_WORK, k->level);
        break;
    case FORE_WAVE_PAUSE:
        if (!settled)
            ask_ranks(k, FORE_WAVE_PAUSE, k->level);
        else
            ask_ranks(k,
                      k->plan->save && !k->sums.failed ? FORE_WAVE_SAVE : FORE_WAVE_END,
                      k->level);
        break;
    case FORE_WAVE_SAVE:
        if (!k->sums.failed)
            fore_checkpoint_complete(k);
        k->saved_ns = fore_now_ns();
        ask_ranks(k, k->stopping ? FORE_WAVE_END : FORE_WAVE_WORK, k->level);
        break;
    case FORE_WAVE_END:
        k->ended = true;
        break;
    }
}

/* Has this rank done what the wave asks for? */
static bool is_so_far(struct fore_levels *k)
{
    if (k->asked == FORE_WAVE_WORK && (k->stopping || !fore_levels_used_up(k)))
        return false;
    if (k->reports < count_children(k))
        return false;
    flush_states(k);
    if (k->asked == FORE_WAVE_SAVE)
        fore_checkpoint_write(k);
    return true;
}

/* A limit was reached here, or the disk failed: tells every rank to stop. */
static void stop_all(struct fore_levels *k)
{
    k->stopping = true;
    if (k->t->rank)
        k->t->send(k->t, 0, "A", 1);
    k->alerted = true;
}

static bool take_messages(struct fore_levels *k)
{
    bool any = false;
    while (k->t->receive(k->t, &k->in)) {
        struct fore_bytes_in in = {k->in.at + 1, k->in.at + k->in.n, false};
        any = true;
        if (k->in.at[0] == 'B')
            take_batch(k, &in);
        else if (k->in.at[0] == 'W')
            take_wave(k, &in);
        else if (k->in.at[0] == 'R')
            take_report(k, &in);
        else
            k->stopping = true;
    }
    return any;
}

bool fore_levels_talk(struct fore_levels *k)
{
    bool root = !k->t->rank, any = take_messages(k);
    int64_t lost = k->t->lost(k->t);
    if (lost >= 0) {
        k->s->row.bound = FORE_BOUND_LOST;
        k->ended = true;
        return any;
    }
    if (root && !k->wave)
        ask_ranks(k, FORE_WAVE_WORK, k->level);
    bool failed = k->store.failed || k->now.failed || k->next.failed;
    if ((k->s->stop || failed) && !k->alerted)
        stop_all(k);
    if (root && k->asked == FORE_WAVE_WORK && (k->stopping || save_is_due(k)))
        ask_ranks(k, FORE_WAVE_PAUSE, k->level);
    if (k->wave && !k->reported && is_so_far(k)) {
        k->reported = true;
        add_own(k);
        if (root)
            decide_next_wave(k);
        else
            report_level(k);
        any = true;
    }
    return any;
}
