#include "actor/actors.h"

#include "node/system.h"

#include <inttypes.h>
#include <string.h>

const char *const fore_how_names[FORE_HOWS] = {
    "deliver", "drop", "duplicate", "crash", "cut-from", "cut-to",
};

void fore_actor_text(int64_t id, struct fore_strbuf *out)
{
    if (id < 0) {
        fore_strbuf_printf(out, "c%" PRId64, -id);
        return;
    }
    if (fore_nodes_service_name(id)) {
        fore_strbuf_puts(out, fore_nodes_service_name(id));
        return;
    }
    if (id >= 64) {
        fore_actor_text(id / 64, out);
        fore_strbuf_putc(out, '.');
    }
    fore_strbuf_printf(out, "%" PRId64, id % 64);
}

void fore_message_text(const struct fore_actors *w, uint32_t msg, struct fore_strbuf *out)
{
    const struct foresee_received *r = &w->msgs.at[msg].r;
    const struct fore_kind_info *k = &w->sys->kinds[r->kind];
    fore_strbuf_printf(out, "%s(", k->name);
    for (uint32_t i = 0; i < r->fields; i++) {
        fore_strbuf_printf(out, "%s%s=", i ? ", " : "", k->field[i]);
        if (r->field[i] < 0 && r->field[i] >= -(int64_t)w->harness->ops.n &&
            !strcmp(k->field[i], "client"))
            fore_actor_text(r->field[i], out);
        else
            fore_harness_value_text(w->harness, r->field[i], out);
    }
    fore_strbuf_putc(out, ')');
}
