#include "analysis/lattice/lattice_state.h"

void fore_lattice_draw_finding(struct fore_lattice *l, struct fore_finding *x,
                               const struct fore_lattice_steps *witness)
{
    l->drawing.graph = &l->picture;
    fore_drawing_copy(&l->drawing, &x->graph);
    fore_draw_run(&l->drawing, &l->seen, "observed", "observed", "observed");
    fore_draw_run(&l->drawing, witness, NULL, "witness", "bad");
}

void fore_lattice_draw_state(void *ctx, uint64_t level, const uint32_t *cut,
                             uint32_t width, const struct fore_val *values)
{
    fore_draw_state(&((struct fore_lattice *)ctx)->drawing, level, cut, width, values);
}

void fore_lattice_draw_edge(void *ctx, const uint32_t *from, const uint32_t *to,
                            uint32_t width, const struct fore_lattice_step *step)
{
    fore_draw_edge(&((struct fore_lattice *)ctx)->drawing, from, to, width, step);
}

void fore_lattice_draw_threads(struct fore_lattice *l)
{
    fore_drawing_init(&l->drawing, &l->watch, l->ctx->out,
                      l->draws ? &l->ctx->out->graph : &l->picture);
    for (size_t i = 0; i < l->seen.v.n; i++) {
        uint32_t thread = l->seen.v.at[i].event.thread;
        size_t k = 0;
        while (k < l->drawing.slot_thread.n && l->drawing.slot_thread.at[k] != thread)
            k++;
        if (k == l->drawing.slot_thread.n)
            fore_vec_push(&l->drawing.slot_thread, thread);
    }
}

void fore_lattice_draw_paths(struct fore_lattice *l)
{
    struct fore_lattice_steps witness = {{0}};
    fore_draw_run(&l->drawing, &l->seen, "observed", "observed", "observed");
    for (uint32_t p = 0; p < l->watch.props; p++) {
        const struct fore_violation *v = fore_observer_violation(l->observer, p);
        if (!v->predicted || v->observed)
            continue;
        fore_observer_witness(l->observer, p, &witness);
        fore_draw_run(&l->drawing, &witness, NULL, "witness", "bad");
    }
    fore_vec_release(&witness.v);
    if (l->drawing.too_large)
        fore_graph_release(l->drawing.graph);
}
