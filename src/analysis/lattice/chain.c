#include "analysis/lattice/chain.h"

void fore_chains_init(struct fore_chains *c)
{
    *c = (struct fore_chains){.root = 1};
    fore_vec_ensure(&c->nodes, 2);
}

void fore_chains_release(struct fore_chains *c)
{
    fore_vec_release(&c->nodes);
    if (c->file)
        fclose(c->file);
}

uint32_t fore_chain_add(struct fore_chains *c, uint32_t parent,
                        const struct fore_lattice_step *step)
{
    uint32_t id = c->free;
    if (id) {
        c->free = c->nodes.at[id].parent;
    } else {
        id = (uint32_t)c->nodes.n;
        fore_vec_ensure(&c->nodes, id + 1u);
    }
    struct fore_chain_node *up = &c->nodes.at[parent];
    up->refs++;
    up->kids++;
    up->kid_sum += id;
    c->nodes.at[id] =
        (struct fore_chain_node){.parent = parent, .refs = 1, .step = *step};
    return id;
}

void fore_chain_keep(struct fore_chains *c, uint32_t chain)
{
    if (chain)
        c->nodes.at[chain].refs++;
}

void fore_chain_drop(struct fore_chains *c, uint32_t chain)
{
    while (chain && --c->nodes.at[chain].refs == 0) {
        uint32_t parent = c->nodes.at[chain].parent;
        if (parent) {
            c->nodes.at[parent].kids--;
            c->nodes.at[parent].kid_sum -= chain;
        }
        c->nodes.at[chain].parent = c->free;
        c->free = chain;
        chain = parent;
    }
}

static void spool_step(struct fore_chains *c, const struct fore_lattice_step *step)
{
    if (!c->file && !c->broken)
        c->file = tmpfile();
    c->broken = c->broken || !c->file || fwrite(step, sizeof *step, 1, c->file) != 1;
    c->trunk++;
}

void fore_chains_trim(struct fore_chains *c)
{
    for (;;) {
        struct fore_chain_node *n = &c->nodes.at[c->root];
        if (n->refs != 1 || n->kids != 1)
            return;
        uint32_t next = n->kid_sum;
        if (n->step.event.kind)
            spool_step(c, &n->step);
        n->parent = c->free;
        c->free = c->root;
        c->root = next;
        c->nodes.at[next].parent = 0;
    }
}

void fore_chain_steps(const struct fore_chains *c, uint32_t chain,
                      struct fore_lattice_steps *out)
{
    fore_vec_clear(&out->v);
    if (c->file && !c->broken) {
        struct fore_lattice_step step;
        rewind(c->file);
        for (uint64_t i = 0; i < c->trunk && fread(&step, sizeof step, 1, c->file) == 1;
             i++)
            fore_vec_push(&out->v, step);
        fseek(c->file, 0, SEEK_END);
    }
    size_t from = out->v.n;
    for (; chain; chain = c->nodes.at[chain].parent)
        if (c->nodes.at[chain].step.event.kind)
            fore_vec_push(&out->v, c->nodes.at[chain].step);
    for (size_t i = from, j = out->v.n; i + 1 < j; i++) {
        struct fore_lattice_step swap = out->v.at[i];
        out->v.at[i] = out->v.at[--j];
        out->v.at[j] = swap;
    }
}
