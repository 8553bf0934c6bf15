#include "trace/event.h"

#include "base/err.h"
#include "trace/ended.h"
#include "trace/sees.h"

static const char *const kind_names[] = {
#define X(name, text, group, object) text,
    FORE_KIND_LIST(X)
#undef X
};

const struct fore_kind_facts fore_kind_table[FORE_KINDS] = {
#define X(name, text, group, object) {FORE_GROUP_##group, FORE_OBJ_##object},
    FORE_KIND_LIST(X)
#undef X
};

static const char *const object_kinds[] = {
#define X(name, text) text,
    FORE_OBJECT_LIST(X)
#undef X
};

const char *const fore_ended_names[FORE_ENDINGS] = {
#define X(name, text) text,
    FORE_ENDED_LIST(X)
#undef X
};

const char *const fore_sees_names[FORE_SEES_BITS] = {
#define X(name, text) text,
    FORE_SEES_LIST(X)
#undef X
};

bool fore_event_ends_wait(const struct fore_event *pre, const struct fore_event *e)
{
    bool gives_up = e->flags & FORE_F_BUSY &&
                    ((pre->kind == FORE_EV_LOCK && e->kind == FORE_EV_TRYLOCK) ||
                     (pre->kind == FORE_EV_RLOCK && e->kind == FORE_EV_TRYRLOCK));
    return (e->kind == pre->kind || gives_up) && e->object == pre->object &&
           (e->kind != FORE_EV_JOIN || e->a == pre->a) && !(e->flags & FORE_F_PRE);
}

const char *fore_kind_name(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return kind_names[kind];
}

const char *fore_object_kind_name(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_OBJ_KINDS);
    return object_kinds[kind];
}
