#include "capture/csp/context.h"

#include <stdint.h>

#ifdef FORE_CSP_FAST_SWITCH

/* A switch is a call, so only what a callee must preserve is saved. The rounding modes of SSE
 * and x87 belong to the operating-system thread, hence to all processes, and stay. */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl fore_context_swap\n"
        ".hidden fore_context_swap\n"
        ".type fore_context_swap, @function\n"
        "fore_context_swap:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size fore_context_swap, . - fore_context_swap\n");

enum { SAVED = 6 };

void fore_context_make(struct fore_context *c, void *low, size_t size,
                       void (*entry)(void))
{
    uintptr_t top = ((uintptr_t)low + size) & ~(uintptr_t)15;
    uintptr_t *sp = (uintptr_t *)top;
    *--sp = 0; /* where backtraces end; it also aligns entry's frame as after a call */
    *--sp = (uintptr_t)entry;
    for (int i = 0; i < SAVED; i++)
        *--sp = 0;
    c->sp = sp;
}

#else

void fore_context_make(struct fore_context *c, void *low, size_t size,
                       void (*entry)(void))
{
    getcontext(&c->u);
    c->u.uc_stack.ss_sp = low;
    c->u.uc_stack.ss_size = size;
    c->u.uc_link = NULL;
    makecontext(&c->u, entry, 0);
}

void fore_context_switch(struct fore_context *from, struct fore_context *to)
{
    swapcontext(&from->u, &to->u);
}

#endif
