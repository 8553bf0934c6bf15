#include "history/user.h"

#include "base/option.h"
#include "base/path.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { MAX_STATE = 1 << 20 };

static struct foresee_value to_theirs(const struct fore_vals *t, fore_val v,
                                      struct fore_arena *a)
{
    struct foresee_value out = {.kind = FORESEE_NIL, .text = ""};
    struct fore_bytes b = fore_val_bytes(t, v);
    const fore_val *items;
    struct foresee_value *list;
    switch (fore_val_kind(v)) {
    case FORE_VAL_ATOM:
        if (fore_val_is(v, FORE_TRUE) || fore_val_is(v, FORE_FALSE)) {
            out.kind = FORESEE_BOOL;
            out.i = fore_val_is(v, FORE_TRUE);
        }
        break;
    case FORE_VAL_INT:
        out.kind = FORESEE_INT;
        fore_val_to_int(t, v, &out.i);
        break;
    case FORE_VAL_STRING:
    case FORE_VAL_NUMBER:
        out.kind = fore_val_kind(v) == FORE_VAL_STRING ? FORESEE_TEXT : FORESEE_NUMBER;
        out.text = b.at;
        out.n = b.n;
        break;
    case FORE_VAL_LIST:
        out.kind = FORESEE_LIST;
        items = fore_val_items(t, v, &out.n);
        list = FORE_NEW_ARRAY(a, struct foresee_value, out.n + 1);
        for (size_t i = 0; i < out.n; i++)
            list[i] = to_theirs(t, items[i], a);
        out.items = list;
        break;
    case FORE_VAL_CHAIN:
    case FORE_VAL_ROPE:
        break;
    }
    return out;
}

static fore_val from_theirs(struct fore_vals *t, const struct foresee_value *v)
{
    FORE_VEC(fore_val) items = {0};
    fore_val list;
    switch (v->kind) {
    case FORESEE_NIL:
        return FORE_NIL;
    case FORESEE_BOOL:
        return fore_val_bool(v->i != 0);
    case FORESEE_INT:
        return fore_val_int(t, v->i);
    case FORESEE_TEXT:
        return fore_val_string(t, v->text, v->n);
    case FORESEE_NUMBER:
        return fore_val_number(t, v->text, v->n);
    case FORESEE_LIST:
        for (size_t i = 0; i < v->n; i++)
            fore_vec_push(&items, from_theirs(t, &v->items[i]));
        list = fore_val_list(t, items.at, items.n);
        fore_vec_release(&items);
        return list;
    case FORESEE_ANY:
        break;
    }
    return FORE_ANY;
}

static const struct foresee_model *theirs_of(const struct fore_model *m)
{
    return ((const struct fore_user_model *)m->user)->theirs;
}

static struct fore_beat *beat_of(const struct fore_model *m)
{
    return ((const struct fore_user_model *)m->user)->beat;
}

/* A state is a string of its bytes. With their own equality, the first state of a class
 * stands for all of it. */
static fore_val state_value(const struct foresee_model *m, struct fore_vals *t,
                            const void *bytes)
{
    if (!m->equal || !m->hash)
        return fore_val_string(t, bytes, m->state_size);
    uint64_t *first = fore_map_put(&t->classes, m->hash(bytes), NULL);
    for (uint64_t w = *first; w;) {
        fore_val v = {w};
        if (m->equal(fore_val_bytes(t, v).at, bytes))
            return v;
        const uint64_t *next = fore_map_get(&t->next_class, w);
        w = next ? *next : 0;
    }
    fore_val v = fore_val_string(t, bytes, m->state_size);
    if (*first)
        *fore_map_put(&t->next_class, v.w, NULL) = *first;
    *first = v.w;
    return v;
}

static bool start_state(const struct fore_model *m, struct fore_vals *t, fore_val init,
                        fore_val *state)
{
    const struct foresee_model *their = theirs_of(m);
    struct fore_arena a = FORE_ARENA_INIT;
    void *bytes = fore_arena_alloc(&a, their->state_size + 1);
    struct foresee_value value = to_theirs(t, init, &a);
    bool given = !fore_val_is(init, FORE_ANY);
    fore_beat_enter(beat_of(m));
    bool ok = their->init(bytes, given ? &value : NULL) == 0;
    if (ok)
        *state = state_value(their, t, bytes);
    fore_beat_leave(beat_of(m));
    fore_arena_release(&a);
    return ok;
}

static bool step_state(const struct fore_model *m, struct fore_vals *t, fore_val state,
                       const struct fore_op *op, fore_val *next, fore_val *result)
{
    const struct foresee_model *their = theirs_of(m);
    struct fore_arena a = FORE_ARENA_INIT;
    struct foresee_value args[2] = {to_theirs(t, op->arg[0], &a),
                                    to_theirs(t, op->arg[1], &a)};
    struct foresee_value answer = {.kind = FORESEE_NIL, .text = ""};
    void *bytes = fore_alloc(their->state_size + 1);
    const char *now = fore_val_bytes(t, state).at;
    memcpy(bytes, now, their->state_size);
    fore_beat_enter(beat_of(m));
    bool ok = their->step(now, op->f, args, bytes, &answer) == 0;
    if (ok) {
        *next = state_value(their, t, bytes);
        *result =
            m->ops[op->f].answer == FORE_ANSWER_NONE ? FORE_ANY : from_theirs(t, &answer);
    }
    fore_beat_leave(beat_of(m));
    fore_free(bytes);
    fore_arena_release(&a);
    return ok;
}

static void state_text(const struct fore_model *m, const struct fore_vals *t,
                       fore_val state, struct fore_strbuf *out)
{
    const struct foresee_model *their = theirs_of(m);
    const char *bytes = fore_val_bytes(t, state).at;
    char text[512];
    fore_beat_enter(beat_of(m));
    bool said = their->text && their->text(bytes, text, sizeof text) >= 0;
    fore_beat_leave(beat_of(m));
    if (said)
        fore_strbuf_puts(out, text);
    else
        fore_strbuf_printf(out, "state %016llx",
                           (unsigned long long)fore_val_hash(t, state));
}

static enum fore_status refuse_model(const char *path, const char *why,
                                     struct fore_err *e)
{
    return fore_fail(e, FORE_USAGE, "%s: %s", path, why);
}

static enum fore_status judge_model(const char *path, const struct foresee_model *m,
                                    struct fore_err *e)
{
    if (m->abi != FORESEE_MODEL_ABI || m->size < sizeof *m)
        return refuse_model(
            path, "made for another version of foresee/model.h; compile it again", e);
    if (!m->name || !m->operations || !m->n_operations || !m->init || !m->step)
        return refuse_model(path, "name, operations, init and step must be given", e);
    if (!m->state_size || m->state_size > MAX_STATE || m->n_operations >= UINT16_MAX)
        return refuse_model(path, "state_size must be between 1 byte and 1 MiB", e);
    for (size_t i = 0; i < m->n_operations; i++)
        if (!m->operations[i].names || m->operations[i].args > 2)
            return refuse_model(path, "an operation has a name and at most 2 arguments",
                                e);
    return FORE_OK;
}

static void adopt_model(struct fore_user_model *u)
{
    const struct foresee_model *m = u->theirs;
    u->ops = fore_calloc(m->n_operations, sizeof *u->ops);
    for (size_t i = 0; i < m->n_operations; i++) {
        unsigned flags = m->operations[i].flags;
        u->ops[i].names = m->operations[i].names;
        u->ops[i].nargs = (uint8_t)m->operations[i].args;
        u->ops[i].answer = flags & FORESEE_ANSWERS_NOTHING ? FORE_ANSWER_NONE
                           : flags & FORESEE_ANSWERS_BOOL  ? FORE_ANSWER_BOOL
                                                           : FORE_ANSWER_VALUE;
        u->ops[i].role = flags & FORESEE_READS_ONLY ? FORE_ROLE_LOOK : FORE_ROLE_OTHER;
    }
    u->model = (struct fore_model){.name = m->name,
                                   .summary = "the operations of its table",
                                   .ops = u->ops,
                                   .n_ops = m->n_operations,
                                   .init = "?",
                                   .keyed = m->keyed != 0,
                                   .start = start_state,
                                   .step = step_state,
                                   .state_text = state_text,
                                   .user = u};
}

static enum fore_status load_library(const char *path, struct fore_user_model *u,
                                     struct fore_err *e)
{
    fore_beat_enter(u->beat);
    u->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    fore_beat_leave(u->beat);
    if (!u->handle)
        return fore_fail(e, FORE_USAGE, "cannot load the object: %s", dlerror());
    u->theirs = dlsym(u->handle, "foresee_model");
    enum fore_status st =
        u->theirs ? judge_model(path, u->theirs, e)
                  : refuse_model(path, "has no `foresee_model`; see foresee/model.h", e);
    if (st != FORE_OK) {
        dlclose(u->handle);
        u->handle = NULL;
        return st;
    }
    adopt_model(u);
    return FORE_OK;
}

bool fore_model_is_path(const char *name)
{
    return strchr(name, '/') || fore_ends_with(name, ".so");
}

static enum fore_status no_such_object(const char *name, struct fore_err *e)
{
    const char *names[32];
    size_t n = 0;
    struct fore_strbuf all = FORE_STRBUF_INIT;
    for (; fore_models[n]; n++) {
        names[n] = fore_models[n]->name;
        fore_strbuf_printf(&all, "%s, ", names[n]);
    }
    const char *near = fore_nearest(name, names, n);
    enum fore_status st = fore_fail(
        e, FORE_USAGE,
        "there is no object '%s'%s%s%s (%sor a shared object with a slash in its "
        "path)",
        name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", all.at);
    fore_strbuf_release(&all);
    return st;
}

enum fore_status fore_model_named(const char *name, struct fore_user_model *user,
                                  const struct fore_model **model, struct fore_err *e)
{
    *model = fore_model_find(name);
    if (*model)
        return FORE_OK;
    if (!fore_model_is_path(name))
        return no_such_object(name, e);
    FORE_TRY(load_library(name, user, e));
    *model = &user->model;
    return FORE_OK;
}

enum fore_status fore_model_open(const char *path, const struct fore_model **model,
                                 struct fore_err *e)
{
    struct fore_user_model *u = fore_calloc(1, sizeof *u);
    enum fore_status s = load_library(path, u, e);
    *model = s == FORE_OK ? &u->model : NULL;
    if (s != FORE_OK) {
        fore_user_model_release(u);
        fore_free(u);
    }
    return s;
}

void fore_model_close(const struct fore_model *m)
{
    struct fore_user_model *u = m ? m->user : NULL;
    if (u) {
        fore_user_model_release(u);
        fore_free(u);
    }
}

void fore_user_model_release(struct fore_user_model *u)
{
    if (u->handle)
        dlclose(u->handle);
    fore_free(u->ops);
    *u = (struct fore_user_model){0};
}
