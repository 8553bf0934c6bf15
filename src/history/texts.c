/* Decides:  linearizability of texts that are appended to, replaced and read, object by
 *           object; only ever says yes.
 * Sound:    yes; every step is one that the object allows, between the operation's events.
 * Complete: no; where it gets stuck, the search decides.
 * Cost:     O(events * operations that are open at one object), and one comparison for each
 *           text that was read. Bounded: what costs more is left to the search.
 *
 * All objects are walked along together, so the history is neither split nor sorted. As in
 * the search, an operation takes effect when its response, or that of a get, needs it; but
 * which of the open ones comes first is read off the text of the next get that answers. An
 * append or put that this text has no room for takes effect just before the latest put, if
 * it was open then: that put hides it. */
#include "history/texts.h"

#include <string.h>

#define NONE UINT32_MAX
#define TAKEN (UINT32_MAX - 1) /* in `prev`: the operation has taken effect */

/* Operations looked at per event, above which it is not worth it. */
enum { PATIENCE = 64 };

struct text_step {  /* an operation */
    const char *at; /* the text that it writes or saw */
    uint32_t n;
    uint32_t next, prev; /* open ones of the same object */
    uint32_t next_look;  /* of a get: the one of the same object that answers next */
    uint32_t before;     /* the one that takes effect just before it */
    uint32_t invoke, object;
    uint8_t role;
    bool sees_any; /* nobody knows what it saw */
};

struct text_register { /* an object */
    const char *at;    /* the present text; NULL: one that nobody may look at */
    uint32_t n;
    uint32_t open;   /* the first open operation that has not taken effect, or NONE */
    uint32_t look;   /* the next get by answer that has not taken effect, or NONE */
    uint32_t put;    /* the latest put, or NONE */
    uint32_t put_at; /* the event at which it took effect */
    uint32_t last;   /* the operation that took effect last */
    uint32_t count;  /* its operations */
    bool checked;    /* `follows` is about this `look` */
    bool follows;    /* the text is the beginning of what `look` saw */
    bool lost;       /* left to the search */
};

struct fore_texts {
    const struct fore_history *h;
    const struct fore_bytes *strings; /* by number */
    struct text_step *steps;          /* by operation */
    struct text_register *texts;      /* by object */
    uint32_t *events; /* by position: operation * 2, + 1 for answers; NONE: nothing */
    uint32_t now;
    int64_t patience;
};

static bool begins_with_text(const struct text_step *whole, const char *at, size_t n)
{
    return n <= whole->n && (at == whole->at || !memcmp(at, whole->at, n));
}

/* The next get, and whether the text can grow into what it saw. */
static bool next_get_follows(const struct fore_texts *w, struct text_register *x)
{
    while (x->look != NONE && w->steps[x->look].prev == TAKEN) {
        x->look = w->steps[x->look].next_look;
        x->checked = false;
    }
    if (x->look == NONE || x->checked)
        return x->look != NONE && x->follows;
    const struct text_step *target = &w->steps[x->look];
    x->checked = true;
    x->follows = x->at && begins_with_text(target, x->at, x->n);
    if (x->follows)
        x->at = target->at;
    return x->follows;
}

static void close_step(struct fore_texts *w, struct text_register *x, struct text_step *s)
{
    if (s->prev == NONE)
        x->open = s->next;
    else
        w->steps[s->prev].next = s->next;
    if (s->next != NONE)
        w->steps[s->next].prev = s->prev;
    s->prev = TAKEN;
}

static void take_step(struct fore_texts *w, struct text_register *x, struct text_step *s)
{
    close_step(w, x, s);
    s->before = x->last;
    x->last = (uint32_t)(s - w->steps);
}

/* A get that sees the present text, or of which nobody knows what it saw, takes effect at
 * once. */
static void take_look(struct fore_texts *w, struct text_register *x, struct text_step *s)
{
    if (s->sees_any || (x->at && x->n == s->n && begins_with_text(s, x->at, x->n)))
        take_step(w, x, s);
}

static void take_looks(struct fore_texts *w, struct text_register *x)
{
    for (uint32_t i = x->open; i != NONE; w->patience--) {
        struct text_step *s = &w->steps[i];
        i = s->next;
        if (s->role == FORE_ROLE_LOOK)
            take_look(w, x, s);
    }
}

/* Is this append the one that the next get, whose beginning the text is, saw next? */
static bool fits_text(const struct fore_texts *w, const struct text_register *x,
                      const struct text_step *s)
{
    const struct text_step *target = &w->steps[x->look];
    return s->n <= target->n - x->n && !memcmp(target->at + x->n, s->at, s->n);
}

static void append_text(struct fore_texts *w, struct text_register *x,
                        struct text_step *s, bool fitting)
{
    take_step(w, x, s);
    x->n += s->n;
    if (!fitting) {
        x->at = NULL;
        x->checked = false;
    }
    take_looks(w, x);
}

static void put_text(struct fore_texts *w, struct text_register *x, struct text_step *s)
{
    take_step(w, x, s);
    x->at = s->at;
    x->n = s->n;
    x->checked = false;
    x->put = x->last;
    x->put_at = w->now;
    take_looks(w, x);
}

/* Lets an open append take effect that the next get saw next; false if there is none. */
static bool grow_text(struct fore_texts *w, struct text_register *x)
{
    if (!next_get_follows(w, x))
        return false;
    for (uint32_t i = x->open; i != NONE; i = w->steps[i].next, w->patience--)
        if (w->steps[i].role == FORE_ROLE_APPEND && fits_text(w, x, &w->steps[i])) {
            append_text(w, x, &w->steps[i], true);
            return true;
        }
    return false;
}

/* Lets an open put take effect with which the text of the next get can begin. */
static bool put_for_next_get(struct fore_texts *w, struct text_register *x)
{
    const struct text_step *target = &w->steps[x->look];
    for (uint32_t i = x->open; i != NONE; i = w->steps[i].next, w->patience--) {
        struct text_step *s = &w->steps[i];
        if (s->role == FORE_ROLE_PUT && begins_with_text(target, s->at, s->n)) {
            put_text(w, x, s);
            return true;
        }
    }
    return false;
}

/* Does the latest put hide the operation, which was open when it took effect? */
static bool hide_under_put(struct fore_texts *w, struct text_register *x,
                           struct text_step *s)
{
    if (x->put == NONE || s->invoke > x->put_at)
        return false;
    close_step(w, x, s);
    s->before = w->steps[x->put].before;
    w->steps[x->put].before = (uint32_t)(s - w->steps);
    return true;
}

/* Before an append that does not fit comes whatever leads to the next get, if that is open
 * already or saw the append further on. */
static bool make_room(struct fore_texts *w, struct text_register *x,
                      const struct text_step *s)
{
    bool on = next_get_follows(w, x);
    if (x->look == NONE)
        return false;
    const struct text_step *target = &w->steps[x->look];
    size_t from = on ? x->n : 0;
    bool later = memmem(target->at + from, target->n - from, s->at, s->n) != NULL;
    if (on)
        return (later || target->invoke < w->now) && grow_text(w, x);
    return later && put_for_next_get(w, x);
}

static void earn_append(struct fore_texts *w, struct text_register *x,
                        struct text_step *s)
{
    while (s->prev != TAKEN) {
        bool fitting = next_get_follows(w, x) && fits_text(w, x, s);
        if (!fitting && make_room(w, x, s))
            continue;
        if (fitting || !hide_under_put(w, x, s))
            append_text(w, x, s, fitting);
    }
}

static void earn_put(struct fore_texts *w, struct text_register *x, struct text_step *s)
{
    for (;;) {
        next_get_follows(w, x);
        const struct text_step *target = x->look == NONE ? NULL : &w->steps[x->look];
        if (!(target && begins_with_text(target, s->at, s->n)) && hide_under_put(w, x, s))
            return;
        if (!target || target->invoke > w->now || !grow_text(w, x))
            break;
    }
    put_text(w, x, s);
}

/* The get that answers now must have seen its text by now. */
static bool earn_look(struct fore_texts *w, struct text_register *x,
                      const struct text_step *s)
{
    while (s->prev != TAKEN)
        if (!grow_text(w, x) && !put_for_next_get(w, x))
            return false;
    return true;
}

static void answer_text(struct fore_texts *w, struct text_register *x,
                        struct text_step *s)
{
    if (s->role == FORE_ROLE_APPEND)
        earn_append(w, x, s);
    else if (s->role == FORE_ROLE_PUT)
        earn_put(w, x, s);
    else
        x->lost = !earn_look(w, x, s);
    x->lost = x->lost || w->patience < 0 || x->n > UINT32_MAX / 2;
}

static void invoke_text(struct fore_texts *w, struct text_register *x,
                        struct text_step *s)
{
    uint32_t i = (uint32_t)(s - w->steps);
    s->prev = NONE;
    s->next = x->open;
    if (x->open != NONE)
        w->steps[x->open].prev = i;
    x->open = i;
    if (s->role == FORE_ROLE_LOOK)
        take_look(w, x, s);
}

/* False if it is no operation of a text, or one that cannot be compared. */
static bool fill_step(const struct fore_texts *w, const struct fore_op *op,
                      struct text_step *s)
{
    enum fore_role role = w->h->model->ops[op->f].role;
    fore_val v = role == FORE_ROLE_LOOK ? op->result : op->arg[0];
    bool any = role == FORE_ROLE_LOOK && fore_val_is(v, FORE_ANY);
    *s = (struct text_step){.invoke = op->invoke,
                            .object = op->object,
                            .role = (uint8_t)role,
                            .sees_any = any};
    if (any)
        return true;
    if (fore_val_kind(v) != FORE_VAL_STRING ||
        (role != FORE_ROLE_LOOK && role != FORE_ROLE_APPEND && role != FORE_ROLE_PUT))
        return false;
    struct fore_bytes b = w->strings[v.w >> 3];
    s->at = b.at;
    s->n = (uint32_t)b.n;
    return b.n < UINT32_MAX / 2;
}

/* Puts every event where it belongs. Gets that never returned are left out. */
static void place_events(struct fore_texts *w)
{
    memset(w->events, 0xff, w->h->events * sizeof *w->events);
    for (uint32_t i = 0; i < w->h->ops.n; i++) {
        const struct fore_op *op = &w->h->ops.at[i];
        struct text_step *s = &w->steps[i];
        struct text_register *x = &w->texts[op->object];
        x->count++;
        if (!fill_step(w, op, s))
            x->lost = true;
        if (fore_op_pending(op) && s->role == FORE_ROLE_LOOK)
            continue;
        w->events[op->invoke] = i << 1;
        if (!fore_op_pending(op))
            w->events[op->ret] = i << 1 | 1;
    }
}

/* The gets of each object, by answer. */
static void link_looks(struct fore_texts *w)
{
    for (size_t at = w->h->events; at-- > 0;) {
        uint32_t e = w->events[at];
        struct text_step *s = &w->steps[e >> 1];
        if (e == NONE || !(e & 1) || s->role != FORE_ROLE_LOOK || s->sees_any)
            continue;
        s->next_look = w->texts[s->object].look;
        w->texts[s->object].look = e >> 1;
    }
}

static void walk_steps(struct fore_texts *w)
{
    for (uint32_t end = w->h->events; w->now < end; w->now++) {
        uint32_t e = w->events[w->now];
        if (e == NONE)
            continue;
        struct text_step *s = &w->steps[e >> 1];
        struct text_register *x = &w->texts[s->object];
        if (x->lost)
            continue;
        if (!(e & 1))
            invoke_text(w, x, s);
        else if (s->prev != TAKEN)
            answer_text(w, x, s);
    }
}

static bool has_append(const struct fore_history *h)
{
    for (size_t i = 0; i < h->ops.n; i++)
        if (h->model->ops[h->ops.at[i].f].role == FORE_ROLE_APPEND)
            return true;
    return false;
}

struct fore_texts *fore_texts_walk(const struct fore_history *h, fore_val init)
{
    if (!h->model->can_grow || fore_val_kind(init) != FORE_VAL_STRING ||
        h->ops.n > UINT32_MAX / 2 - 2 || !has_append(h))
        return NULL;
    struct fore_bytes text = fore_val_bytes(&h->values, init);
    struct fore_texts *w =
        fore_alloc(sizeof *w + h->ops.n * sizeof *w->steps +
                   h->objects.n * sizeof *w->texts + h->events * sizeof *w->events);
    *w = (struct fore_texts){.h = h,
                             .strings = h->values.strings.strings.at,
                             .patience = PATIENCE * ((int64_t)h->events + 1)};
    w->steps = (void *)(w + 1);
    w->texts = (void *)(w->steps + h->ops.n);
    w->events = (void *)(w->texts + h->objects.n);
    for (size_t k = 0; k < h->objects.n; k++)
        w->texts[k] = (struct text_register){.at = text.at,
                                             .n = (uint32_t)text.n,
                                             .open = NONE,
                                             .look = NONE,
                                             .put = NONE,
                                             .last = NONE,
                                             .lost = text.n > UINT32_MAX / 2};
    place_events(w);
    link_looks(w);
    walk_steps(w);
    return w;
}

bool fore_texts_found(const struct fore_texts *t, uint32_t object)
{
    return !t->texts[object].lost;
}

size_t fore_texts_count(const struct fore_texts *t, uint32_t object)
{
    return t->texts[object].count;
}

size_t fore_texts_order(const struct fore_texts *t, uint32_t object, uint32_t *order)
{
    size_t n = 0, k;
    for (uint32_t i = t->texts[object].last; i != NONE; i = t->steps[i].before)
        n++;
    k = n;
    for (uint32_t i = t->texts[object].last; i != NONE; i = t->steps[i].before)
        order[--k] = i;
    return n;
}

void fore_texts_free(struct fore_texts *t)
{
    fore_free(t);
}
