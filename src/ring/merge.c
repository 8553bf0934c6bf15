#include "ring/merge.h"

#include "base/hash.h"
#include "base/progress.h"
#include "ring/merge_go.h"
#include "ring/merge_may.h"
#include "trace/event.h"

#include <signal.h>

enum { POLL = 1 << 20, MOST_LOOKS = 2 };
static const uint64_t patience_ns = 500000000u;

static uint64_t key_of(enum fore_until what, uint32_t of, uint64_t value)
{
    return fore_hash_u64((uint64_t)of << 40 ^ value << 3 ^ what);
}

/* ---- the queue of threads to look at, and the threads that wait ---- */

void fore_merge_enqueue(struct fore_merge *m, uint32_t thread)
{
    struct fore_merge_thread *t = &m->threads.at[thread];
    if (t->state == FORE_MERGE_QUEUED || t->state == FORE_MERGE_OVER)
        return;
    t->state = FORE_MERGE_QUEUED;
    fore_vec_push(&m->queue, thread);
}

static bool dequeue_thread(struct fore_merge *m, uint32_t *thread)
{
    if (m->queue_at == m->queue.n) {
        fore_vec_clear(&m->queue);
        m->queue_at = 0;
        return false;
    }
    *thread = m->queue.at[m->queue_at++];
    if (m->queue_at > 4096 && m->queue_at * 2 > m->queue.n) { /* forget what was taken */
        m->queue.n -= m->queue_at;
        memmove(m->queue.at, m->queue.at + m->queue_at, m->queue.n * sizeof *m->queue.at);
        m->queue_at = 0;
    }
    return true;
}

/* Notes that a thread offers to communicate on the object, or waits for it. */
static struct fore_merge_object *touch_object(struct fore_merge *m,
                                              struct fore_merge_object *c)
{
    if (!c->touched)
        fore_vec_push(&m->touched, (uint32_t)(c - m->objects.at));
    c->touched = true;
    return c;
}

/* The object, if the thread waits for one of its counters; else NULL. */
static struct fore_merge_object *object_with_counter(struct fore_merge *m,
                                                     enum fore_until what, uint32_t of)
{
    bool counter =
        what == FORE_UNTIL_TICKET || what == FORE_UNTIL_SENDS || what == FORE_UNTIL_RECVS;
    return counter ? fore_merge_object(m, of, FORE_OBJ_CHAN) : NULL;
}

static void wait_for(struct fore_merge *m, uint32_t thread, const struct fore_obstacle *o)
{
    struct fore_merge_object *c = object_with_counter(m, o->what, o->of);
    unsigned i = o->what - FORE_UNTIL_TICKET;
    if (c && (!touch_object(m, c)->waiting[i]++ || o->until < c->until[i]))
        c->until[i] = o->until;
    struct fore_merge_thread *t = &m->threads.at[thread];
    uint64_t *first = fore_map_put(&m->waiting, key_of(o->what, o->of, o->until), NULL);
    t->next_waiting = (uint32_t)*first;
    t->waits = *o;
    *first = thread + 1;
    t->state = FORE_MERGE_BLOCKED;
}

/* The least number that a thread waits for, of the threads that wait for more of this; if they
 * are many, the next number. */
static uint64_t next_until(const struct fore_merge *m, enum fore_until what, uint32_t of,
                           uint64_t value)
{
    enum { FEW = 64 };
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < m->threads.n && m->threads.n <= FEW; i++) {
        const struct fore_obstacle *o = &m->threads.at[i].waits;
        if (m->threads.at[i].state == FORE_MERGE_BLOCKED && o->what == what &&
            o->of == of && o->until > value && o->until < least)
            least = o->until;
    }
    return m->threads.n <= FEW ? least : value + 1;
}

void fore_merge_came(struct fore_merge *m, enum fore_until what, uint32_t of,
                     uint64_t value)
{
    uint64_t key = key_of(what, of, value), *first = fore_map_get(&m->waiting, key);
    if (!first)
        return;
    uint32_t next = (uint32_t)*first;
    struct fore_merge_object *c = object_with_counter(m, what, of);
    fore_map_remove(&m->waiting, key);
    while (next) {
        uint32_t thread = next - 1;
        next = m->threads.at[thread].next_waiting;
        if (c)
            c->waiting[what - FORE_UNTIL_TICKET]--;
        fore_merge_enqueue(m, thread);
    }
    if (c && c->waiting[what - FORE_UNTIL_TICKET])
        c->until[what - FORE_UNTIL_TICKET] = next_until(m, what, of, value);
}

/* ---- an operation comes ---- */

static void release_one(struct fore_merge *m, enum fore_fsr_hold what, uint32_t chan,
                        uint64_t n)
{
    uint64_t key = fore_fsr_hold_key(what, chan, n);
    uint64_t *count = fore_map_get(&m->file.holds, key);
    if (!count || --*count)
        return;
    fore_map_remove(&m->file.holds, key);
    fore_merge_came(m, FORE_UNTIL_HELD, chan, key);
}

static void release_hold(void *arg, uint32_t chan, bool sends, const uint64_t counters[2])
{
    release_one(arg, sends ? FORE_HOLD_RECV : FORE_HOLD_SEND, chan, counters[sends]);
    release_one(arg, FORE_HOLD_CLOSE, chan, 0);
}

void fore_merge_count_ticket(struct fore_merge *m, uint32_t object, unsigned kind,
                             uint64_t ticket)
{
    if (!ticket || !object)
        return;
    struct fore_merge_object *c = fore_merge_object(m, object, kind);
    if (c->ticket >= ticket)
        return;
    do {
        c->ticket = ticket++;
        fore_merge_counter_came(m, c, FORE_UNTIL_TICKET, object, c->ticket);
    } while (m->voids.n && fore_merge_is_void(m, object, ticket));
}

static void count_send(struct fore_merge *m, uint32_t object, uint64_t n)
{
    struct fore_merge_object *c = fore_merge_object(m, object, FORE_OBJ_CHAN);
    c->sends = n > c->sends ? n : c->sends;
    fore_merge_counter_came(m, c, FORE_UNTIL_SENDS, object, c->sends);
}

static void count_recv(struct fore_merge *m, uint32_t object, uint64_t n)
{
    struct fore_merge_object *c = fore_merge_object(m, object, FORE_OBJ_CHAN);
    c->recvs = n > c->recvs ? n : c->recvs;
    fore_merge_counter_came(m, c, FORE_UNTIL_RECVS, object, c->recvs);
}

static void note_creation(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op)
{
    if (!op->unit_count)
        return;
    uint32_t number = (uint32_t)op->units[0];
    uint32_t child = fore_merge_adopt(m, thread, op); /* may make `life` longer */
    m->life.at[child] |= FORE_LIFE_SIGNALLED;
    fore_merge_came(m, FORE_UNTIL_CREATED, number, 1);
}

static void note_end(struct fore_merge *m, uint32_t thread)
{
    m->life.at[m->threads.at[thread].id] |= FORE_LIFE_ENDED;
    fore_merge_came(m, FORE_UNTIL_ENDED, m->file.threads.at[thread].number, 1);
}

static void after_op(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op)
{
    fore_merge_note_holders(m, op);
    switch (op->kind) {
    case FORE_RING_SIGNAL:
        note_creation(m, thread, op);
        return;
    case FORE_RING_END:
        note_end(m, thread);
        return;
    case FORE_RING_PRE:
        return;
    case FORE_RING_CLOSE_EVENT: {
        struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
        if (!(op->flags & FORE_RING_CLOSED)) {
            c->closed = true;
            c->closed_sends = op->unit_count ? op->units[0] : c->sends;
            fore_merge_came(m, FORE_UNTIL_CLOSED, op->object, 1);
        }
        return;
    }
    case FORE_RING_CWAIT:
    case FORE_RING_CWOKEN:
        if (op->unit_count)
            fore_merge_count_ticket(m, (uint32_t)op->units[0], FORE_OBJ_LOCK,
                                    op->units[1]);
        break;
    default:
        break;
    }
    fore_merge_count_ticket(m, op->object, fore_kind_object(op->kind), op->ticket);
}

static uint64_t next_k(struct fore_merge *m, uint32_t thread, uint32_t object)
{
    uint32_t chan = fore_merge_object(m, object, FORE_OBJ_CHAN)->id;
    struct fore_merge_thread *t = &m->threads.at[thread];
    if (!t->pair || m->pairs.all.at[t->pair - 1].chan != chan)
        t->pair = (uint32_t)(fore_pairs_of(&m->pairs, t->id, chan) - m->pairs.all.at) + 1;
    return ++m->pairs.all.at[t->pair - 1].sends;
}

/* ---- the next operation of a thread, which does not change once it is done ---- */

static bool next_op(struct fore_merge *m, uint32_t thread)
{
    struct fore_merge_thread *t = &m->threads.at[thread];
    return t->known || fore_fsr_peek(&m->file, thread, &t->op);
}

static void advance_thread(struct fore_merge *m, uint32_t thread,
                           const struct fore_fsr_op *op)
{
    m->threads.at[thread].known = false;
    fore_fsr_advance(&m->file, thread, op);
}

/* Is it no select, no try, and nothing closed? Most operations of most programs are so. */
static bool is_plain(const struct fore_fsr_op *op)
{
    return (op->kind == FORE_RING_SEND_EVENT || op->kind == FORE_RING_RECV_EVENT) &&
           op->flags == FORE_RING_DONE;
}

/* Emits both sides of an unbuffered communication. */
void fore_merge_emit_together(struct fore_merge *m, uint32_t sender,
                              const struct fore_fsr_op *send, uint32_t receiver,
                              const struct fore_fsr_op *recv)
{
    uint64_t n = send->ticket, k = next_k(m, sender, send->object);
    if (is_plain(send) && is_plain(recv)) {
        fore_merge_emit_pair(m, sender, send, receiver, recv, k);
    } else {
        fore_merge_emit_pre(m, sender, send);
        fore_merge_emit_pre(m, receiver, recv);
        fore_merge_emit(m, sender, send, 0, k);
        fore_merge_emit(m, receiver, recv, m->threads.at[sender].id, k);
    }
    advance_thread(m, sender, send);
    advance_thread(m, receiver, recv);
    count_send(m, send->object, n);
    count_recv(m, send->object, n);
}

static bool is_silent(struct fore_merge *m, const struct fore_fsr_op *op)
{
    return op->object && op->kind >= FORE_RING_SEND_EVENT && op->kind <= FORE_RING_RMW &&
           fore_merge_object(m, op->object, fore_kind_object(op->kind))->silent;
}

static void emit_op(struct fore_merge *m, uint32_t thread, const struct fore_fsr_op *op,
                    bool quiet)
{
    uint64_t k = 0;
    if (fore_merge_is_channel(op) && fore_merge_sends(op) && !quiet)
        k = next_k(m, thread, op->object);
    if (fore_merge_is_channel(op) || op->kind == FORE_RING_PRE ||
        fore_merge_gave_up(op) || fore_kind_blocks(op->kind))
        fore_merge_emit_pre(m, thread, op);
    fore_merge_emit(m, thread, op, 0, k);
}

void fore_merge_emit_in_turn(struct fore_merge *m, uint32_t thread,
                             const struct fore_fsr_op *op)
{
    if (op->kind >= FORE_KINDS || !op->kind || op->kind == FORE_EV_SELECT) {
        m->unknown += op->kind != FORE_RING_AFTER;
        advance_thread(m, thread, op);
        return;
    }
    bool quiet = fore_merge_is_channel(op) && op->flags & FORE_RING_CLOSED;
    if (!is_silent(m, op) && !fore_merge_misplaced(m, op))
        emit_op(m, thread, op, quiet);
    advance_thread(m, thread, op);
    fore_fsr_counters(op, release_hold, m);
    if (op->before)
        release_one(m, FORE_HOLD_TICKET, op->object, op->before);
    if (fore_merge_gave_up(op))
        return;
    if (!fore_merge_is_channel(op))
        after_op(m, thread, op);
    else if (!quiet && fore_merge_sends(op))
        count_send(m, op->object, op->ticket);
    else if (!quiet)
        count_recv(m, op->object, op->ticket);
}

/* ---- advancing one thread as far as it goes ---- */

/* On an unbuffered channel: waits for the other side, or comes together with it. True if it
 * came. */
static bool meet_partner(struct fore_merge *m, uint32_t thread,
                         const struct fore_fsr_op *op)
{
    struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
    bool sends = fore_merge_sends(op);
    uint32_t other = c->offer[!sends];
    const struct fore_fsr_op *theirs = other ? &m->threads.at[other - 1].op : NULL;
    if (!other || other == thread + 1 || !next_op(m, other - 1) ||
        theirs->ticket != op->ticket) {
        touch_object(m, c)->offer[sends] = thread + 1;
        m->threads.at[thread].state = FORE_MERGE_BLOCKED;
        return false;
    }
    c->offer[0] = c->offer[1] = 0;
    if (sends)
        fore_merge_emit_together(m, thread, op, other - 1, theirs);
    else
        fore_merge_emit_together(m, other - 1, theirs, thread, op);
    fore_merge_enqueue(m, other - 1);
    return true;
}

/* Is it the next operation on a channel without a buffer? Then nothing else needs to be checked. */
static bool is_next_meeting(struct fore_merge *m, const struct fore_fsr_op *op)
{
    if (!is_plain(op))
        return false;
    const struct fore_merge_object *c = fore_merge_object(m, op->object, FORE_OBJ_CHAN);
    return !c->capacity && op->ticket == (fore_merge_sends(op) ? c->sends : c->recvs) + 1;
}

static bool is_rendezvous(struct fore_merge *m, const struct fore_fsr_op *op)
{
    return fore_merge_is_channel(op) && !(op->flags & FORE_RING_CLOSED) &&
           !fore_merge_object(m, op->object, FORE_OBJ_CHAN)->capacity;
}

static void run_thread(struct fore_merge *m, uint32_t thread)
{
    struct fore_merge_thread *t = &m->threads.at[thread];
    struct fore_obstacle o;
    while (!m->stopped) {
        if (m->pushed >= m->most) { /* goes on here at the next poll */
            t->state = FORE_MERGE_IDLE;
            return;
        }
        fore_merge_take_turns(m, thread);
        if (m->stopped)
            return;
        if (!next_op(m, thread)) {
            bool ended = m->life.at[t->id] & FORE_LIFE_ENDED;
            t->state = ended ? FORE_MERGE_OVER : FORE_MERGE_IDLE;
            return;
        }
        if (fore_merge_take_turn(m, thread, &t->op)) {
            advance_thread(m, thread, &t->op);
            continue;
        }
        if (is_next_meeting(m, &t->op)) {
            t->known = true;
            if (!meet_partner(m, thread, &t->op))
                return;
            continue;
        }
        if (fore_merge_waits(&t->op)) {
            t->state = FORE_MERGE_PENDING;
            return;
        }
        t->known = true;
        if (!fore_merge_may(m, thread, &t->op, &o)) {
            wait_for(m, thread, &o);
            return;
        }
        if (!is_rendezvous(m, &t->op))
            fore_merge_emit_in_turn(m, thread, &t->op);
        else if (!meet_partner(m, thread, &t->op))
            return;
    }
}

void fore_merge_run_queue(struct fore_merge *m)
{
    uint32_t thread;
    while (!m->stopped && dequeue_thread(m, &thread))
        run_thread(m, thread);
}

/* If the sender of an unbuffered receive is not known any more, the receive is lost, too. */
bool fore_merge_leave_out(struct fore_merge *m, uint32_t thread,
                          const struct fore_fsr_op *op)
{
    if (fore_merge_sends(op) || !is_rendezvous(m, op))
        return false;
    m->lost++;
    advance_thread(m, thread, op);
    fore_fsr_counters(op, release_hold, m);
    count_recv(m, op->object, op->ticket);
    return true;
}

/* ---- the outside ---- */

enum fore_status fore_merge_open(struct fore_merge *m, const char *name, const void *base,
                                 size_t size, struct fore_tables *tables,
                                 struct fore_sink *sink, struct fore_err *e)
{
    *m = (struct fore_merge){.tables = tables, .sink = sink};
    FORE_TRY(fore_fsr_open(&m->file, name, base, size, e));
    tables->merged =
        m->file.header->source != FORE_RING_CSP; /* whose processes take turns */
    unsigned sees = m->file.header->sees & (FORE_SEES_ALL | FORE_SEES_DECLARED);
    m->sees_memory = !sees && m->file.header->source == FORE_RING_C;
    tables->sees |= sees ? sees : FORE_SEES_LEGACY;
    if (m->file.header->source == FORE_RING_GO)
        m->resolver = fore_merge_go_open(name, &m->file);
    if (m->resolver && sees & FORE_SEES_MEMORY)
        fore_merge_go_tell_lengths(m->resolver, tables);
    return FORE_OK;
}

void fore_merge_release(struct fore_merge *m)
{
    if (m->resolver)
        m->resolver->release(m->resolver);
    fore_fsr_release(&m->file);
    fore_vec_release(&m->threads);
    fore_vec_release(&m->objects);
    fore_vec_release(&m->life);
    fore_map_release(&m->thread_ids);
    fore_map_release(&m->object_index);
    fore_vec_release(&m->small);
    fore_map_release(&m->where_ids);
    fore_map_release(&m->waiting);
    fore_map_release(&m->voids);
    fore_map_release(&m->taken);
    fore_map_release(&m->made);
    fore_map_release(&m->blocks);
    if (m->carry)
        fore_carry_release(m->carry);
    fore_free(m->carry);
    fore_pairs_release(&m->pairs);
    fore_vec_release(&m->touched);
    fore_vec_release(&m->queue);
    fore_vec_release(&m->events);
    fore_vec_release(&m->cases);
}

static bool may_be_told(const struct fore_merge *m)
{
    return m->file.live && !m->file.streams &&
           __atomic_load_n(&m->file.header->has_past, __ATOMIC_ACQUIRE);
}

static void run_all(struct fore_merge *m)
{
    fore_merge_tell_unseen(m);
    for (size_t i = m->threads.n; i < m->file.threads.n; i++) {
        uint32_t number = m->file.threads.at[i].number;
        bool keeper = number == FORE_RING_KEEPER; /* it only defines */
        uint32_t id = keeper ? 0 : fore_merge_thread_id(m, number);
        fore_vec_push(&m->threads,
                      (struct fore_merge_thread){
                          .id = id, .state = keeper ? FORE_MERGE_OVER : FORE_MERGE_IDLE});
    }
    if (m->file.first_part && !m->carry)
        fore_merge_begin(m);
    for (uint32_t i = 0; i < m->threads.n; i++)
        if (m->threads.at[i].state == FORE_MERGE_IDLE ||
            m->threads.at[i].state == FORE_MERGE_PENDING)
            fore_merge_enqueue(m, i);
    fore_merge_run_queue(m);
}

static void look_for_news(struct fore_merge *m, size_t size)
{
    if (may_be_told(m))
        return;
    fore_fsr_refresh(&m->file, size);
    if (may_be_told(m)) /* everything read so far was written before */
        return;
    if (m->file.streams)
        fore_merge_take_late(m);
    run_all(m);
}

/* Is the record that the threads of a stream wait for lost? Not while the thread that should
 * write it may only be waiting for a processor, which on a busy machine takes longer than a few
 * looks. */
static bool is_stuck(struct fore_merge *m, bool went_on, bool looks)
{
    if (went_on)
        m->stuck = 0;
    else if (looks && !m->stuck++)
        m->stuck_ns = fore_now_ns();
    return m->stuck > MOST_LOOKS && fore_now_ns() - m->stuck_ns > patience_ns;
}

void fore_merge_poll(struct fore_merge *m, size_t size)
{
    m->file.live = true;
    m->most = m->pushed + POLL;
    uint64_t before = m->pushed;
    bool looks = fore_merge_streams(m, size);
    if (looks || !m->file.streams)
        look_for_news(m, size);
    else
        run_all(m);
    if (is_stuck(m, m->pushed != before, looks) && fore_merge_untangle_one(m))
        fore_merge_run_queue(m);
    m->drained = m->pushed < m->most;
    fore_merge_flush(m);
}

/* Writes " in thread 2 at main.c:7: corrupted size vs. prev_size", as far as it is known. */
static void put_crash(const struct fore_ring_header *h, struct fore_strbuf *out)
{
    if (h->source != FORE_RING_C || !h->crash_thread)
        return;
    fore_strbuf_printf(out, " in thread %u", h->crash_thread);
    size_t place = strnlen(h->crash_place, sizeof h->crash_place),
           said = strnlen(h->crash_said, sizeof h->crash_said);
    if (place)
        fore_strbuf_printf(out, " at %.*s", (int)place, h->crash_place);
    while (said && strchr("\n ", h->crash_said[said - 1]))
        said--;
    if (said)
        fore_strbuf_printf(out, ": %.*s", (int)said, h->crash_said);
}

/* A program whose end was not recorded was killed, or left without notice. */
static void tell_ended(struct fore_merge *m)
{
    static const char *const names[] = {
        [SIGABRT] = "SIGABRT", [SIGALRM] = "SIGALRM", [SIGBUS] = "SIGBUS",
        [SIGFPE] = "SIGFPE",   [SIGHUP] = "SIGHUP",   [SIGILL] = "SIGILL",
        [SIGINT] = "SIGINT",   [SIGKILL] = "SIGKILL", [SIGPIPE] = "SIGPIPE",
        [SIGQUIT] = "SIGQUIT", [SIGSEGV] = "SIGSEGV", [SIGSYS] = "SIGSYS",
        [SIGTERM] = "SIGTERM", [SIGTRAP] = "SIGTRAP", [SIGUSR1] = "SIGUSR1",
        [SIGUSR2] = "SIGUSR2", [SIGXCPU] = "SIGXCPU", [SIGXFSZ] = "SIGXFSZ"};
    const struct fore_ring_header *h = m->file.header;
    uint32_t how = h->ended < FORE_ENDINGS ? h->ended : FORE_ENDED_UNKNOWN;
    if (h->state == FORE_RING_DEADLOCK)
        how = FORE_ENDED_DEADLOCK;
    else if (!how && h->state == FORE_RING_RECORDING)
        how = FORE_ENDED_SIGNAL;
    m->tables->ended = (enum fore_ended)how;
    size_t folder = strnlen(h->folder, sizeof h->folder);
    if (folder && h->source == FORE_RING_GO)
        m->tables->folder = fore_tables_string(m->tables, h->folder, folder);
    const char *name = h->signal < sizeof names / sizeof *names ? names[h->signal] : NULL;
    if (!name || (how != FORE_ENDED_SIGNAL && how != FORE_ENDED_CRASH))
        return;
    struct fore_strbuf text = FORE_STRBUF_INIT;
    fore_strbuf_puts(&text, name);
    if (how == FORE_ENDED_CRASH)
        put_crash(h, &text);
    m->tables->ended_text = fore_tables_string(m->tables, text.at, text.n);
    fore_strbuf_release(&text);
}

enum fore_status fore_merge_finish(struct fore_merge *m, size_t size, struct fore_err *e)
{
    m->file.live = false;
    m->most = UINT64_MAX;
    tell_ended(m);
    look_for_news(m, size);
    fore_merge_rename(m);
    /* Without room, or in a file that was cut off, the program went on unrecorded: operations
     * that are still held up, or seem to wait, do so because records are missing. The events so
     * far are a beginning of the run. */
    if (m->file.header->state != FORE_RING_FULL && !m->file.torn) {
        fore_merge_untangle(m);
        fore_merge_emit_pending(m);
    }
    fore_merge_flush(m);
    if (!m->stopped) /* a thread's own records may end before the pasts about it */
        m->lost += m->file.pasts_told - m->file.pasts_read;
    struct fore_trace_end end = {.torn = m->file.torn,
                                 .lost = m->lost + m->file.header->dropped,
                                 .unknown = m->unknown,
                                 .tables = m->tables};
    return m->sink->end(m->sink, &end, e);
}
