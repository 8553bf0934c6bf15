#include "trace/event.h"

#include "base/err.h"
#include "trace/ended.h"
#include "trace/sees.h"

static const struct {
    const char *name;
    enum fore_group group;
    enum fore_object_kind object;
} kinds[] = {
#define X(name, text, group, object) {text, FORE_GROUP_##group, FORE_OBJ_##object},
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

const char *fore_kind_name(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return kinds[kind].name;
}

enum fore_group fore_kind_group(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return kinds[kind].group;
}

enum fore_object_kind fore_kind_object(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_KINDS);
    return kinds[kind].object;
}

const char *fore_object_kind_name(unsigned kind)
{
    FORE_BUG_IF(kind >= FORE_OBJ_KINDS);
    return object_kinds[kind];
}

bool fore_kind_blocks(unsigned kind)
{
    switch (kind) {
    case FORE_EV_LOCK:
    case FORE_EV_RLOCK:
    case FORE_EV_WGWAIT:
    case FORE_EV_JOIN:
    case FORE_EV_CWOKEN:
    case FORE_EV_BARRIER:
    case FORE_EV_ACQUIRE:
    case FORE_EV_ONCE:
        return true;
    default:
        return false;
    }
}
