#include "analysis/lattice/feed.h"

#include <math.h>
#include <string.h>

void fore_binding_release(struct fore_binding *b)
{
    fore_vec_release(&b->var_of);
}

int fore_binding_var(struct fore_binding *b, const struct fore_tables *t,
                     const struct fore_event *e)
{
    if (e->kind != FORE_EV_WRITE && e->kind != FORE_EV_RMW)
        return -1;
    fore_vec_ensure(&b->var_of, e->object + 1u);
    uint32_t *known = &b->var_of.at[e->object];
    if (!*known)
        *known = (uint32_t)(fore_spec_var(b->spec, fore_tables_name(t, e->object)) + 2);
    return (int)*known - 2;
}

static struct fore_val value_written(struct fore_value v)
{
    double real;
    switch (v.type) {
    case FORE_VALUE_INT:
        return fore_val_int((int64_t)v.bits);
    case FORE_VALUE_FLOAT:
        memcpy(&real, &v.bits, sizeof real);
        return fore_val_real(real);
    case FORE_VALUE_BOOL:
        return fore_val_int(v.bits != 0);
    case FORE_VALUE_NIL:
        return fore_val_int(0);
    default: /* texts and lists compare with nothing */
        return fore_val_real((double)NAN);
    }
}

struct fore_val fore_written_value(const struct fore_event *e)
{
    if (e->kind == FORE_EV_RMW)
        return value_written((struct fore_value){fore_event_type_b(e), e->b});
    return value_written((struct fore_value){fore_event_type_a(e), e->a});
}

void fore_binding_initial(const struct fore_spec *s, const struct fore_tables *t,
                          struct fore_val *initial)
{
    for (size_t i = 1; i < t->objects.n; i++) {
        const struct fore_object *o = &t->objects.at[i];
        if (o->kind != FORE_OBJ_PLACE || o->init.type == FORE_VALUE_NONE)
            continue;
        int var = fore_spec_var(s, fore_tables_text(t, o->name));
        if (var >= 0)
            initial[var] = value_written(o->init);
    }
}

enum fore_status fore_binding_check(const struct fore_spec *s,
                                    const struct fore_tables *t, struct fore_err *e)
{
    FORE_VEC(const char *) known = {0};
    for (size_t i = 1; i < t->objects.n; i++)
        if (t->objects.at[i].kind == FORE_OBJ_PLACE)
            fore_vec_push(&known, fore_tables_text(t, t->objects.at[i].name));
    enum fore_status status = fore_spec_check_names(s, known.at, known.n, e);
    fore_vec_release(&known);
    return status;
}
