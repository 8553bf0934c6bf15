#include "capture/csp/stack.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A guard page splits a mapping in two, and the kernel allows 65,530 mappings. So the first
 * 16,384 stacks get one; for all of them the scheduler looks at the stack pointer whenever a
 * process waits. */
enum {
    SLAB = 256,
    GUARDED_SLABS = 64,
    GUARD = 4096,
    COLOURS = 8, /* stacks start at different lines of their first page: less aliasing */
    COLOUR = 256,
};

struct slab {
    struct slab *next;
    char *stacks;
    struct fore_proc procs[SLAB];
};

static struct slab *slabs;
static size_t slab_count;

static bool slab_add(void)
{
    size_t size = fore_csp.stack_size;
    struct slab *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->stacks = mmap(NULL, size * SLAB, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (s->stacks == MAP_FAILED) {
        free(s);
        return false;
    }
    for (size_t i = SLAB; i-- > 0;) {
        struct fore_proc *p = &s->procs[i];
        p->stack = s->stacks + i * size;
        p->next_free = fore_csp.free;
        fore_csp.free = p;
        if (slab_count < GUARDED_SLABS)
            mprotect(p->stack, GUARD, PROT_NONE);
    }
    s->next = slabs;
    slabs = s;
    slab_count++;
    return true;
}

struct fore_proc *fore_stack_take(void)
{
    if (FORE_UNLIKELY(!fore_csp.free) && !slab_add())
        return NULL;
    struct fore_proc *p = fore_csp.free;
    fore_csp.free = p->next_free;
    p->alive = true;
    return p;
}

void *fore_stack_low(const struct fore_proc *p, size_t *size)
{
    size_t colour = p->id % COLOURS * COLOUR;
    *size = fore_csp.stack_size - GUARD - colour;
    return p->stack + GUARD;
}

void fore_stack_give(struct fore_proc *p)
{
    p->alive = false;
    p->next_free = fore_csp.free;
    fore_csp.free = p;
}

void fore_stack_each(void (*see)(struct fore_proc *p, void *arg), void *arg)
{
    for (struct slab *s = slabs; s; s = s->next)
        for (size_t i = 0; i < SLAB; i++)
            if (s->procs[i].alive)
                see(&s->procs[i], arg);
}
