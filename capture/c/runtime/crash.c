/* Catches a signal that ends the program with a core: writes the callers of the thread, and the
 * message that abort() was given, to the header of the ring file; then the signal takes its
 * course. Signals that the program, or a sanitizer, handles are left to them. */
#include "capture/c/runtime/crash.h"
#include "capture/c/runtime/rt.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>

static struct fore_ring_header *header;

/* The message of glibc when an assertion fails or the heap is corrupt. */
struct abort_message {
    unsigned size;
    char text[];
};
extern const struct abort_message *__abort_msg __attribute__((weak));

static size_t put_text(char *to, size_t n, size_t most, const char *text)
{
    for (; n + 1 < most && *text; n++)
        to[n] = *text++;
    if (n < most)
        to[n] = 0;
    return n;
}

static size_t put_hex(char *to, size_t n, size_t most, uint64_t x)
{
    char digits[17];
    for (int i = 0; i < 16; i++)
        digits[i] = "0123456789abcdef"[x >> (60 - 4 * i) & 15];
    digits[16] = 0;
    return put_text(to, n, most, digits);
}

/* Callers are known by the instruction after the call, which may be of the next line. */
static void put_callers(struct fore_ring_header *h, void *const *pc, int n,
                        const void *fault)
{
    char *to = h->crash_callers;
    size_t at = 0, most = sizeof h->crash_callers;
    bool found = false;
    for (int i = 0; i < n; i++) {
        Dl_info in;
        struct link_map *of = NULL;
        found |= pc[i] == fault;
        if (fault && !found) /* the frames of this handler, and the kernel's */
            continue;
        dladdr1(pc[i], &in, (void **)&of, RTLD_DL_LINKMAP); /* not in a static program */
        const char *file = of && of->l_name && *of->l_name ? of->l_name : h->executable;
        uint64_t address = (uint64_t)pc[i] - (of ? of->l_addr : 0);
        if (at + 40 + strlen(file) > most)
            return;
        at = put_text(to, at, most, file);
        at = put_text(to, at, most, "+0x");
        at = put_hex(to, at, most, address - (pc[i] != fault));
        at = put_text(to, at, most, "\n");
    }
}

static const void *instruction_of(const void *context)
{
#if defined __x86_64__
    return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

static void crash(int number, siginfo_t *info, void *context)
{
    struct sigaction usual = {.sa_handler = SIG_DFL};
    void *pc[32];
    int kept = errno;
    struct fore_ring_header *h = header;
    sigaction(number, &usual, NULL);
    if (h && !h->crash_thread) {
        h->crash_thread = foresee_rt_self.number;
        if (number == SIGABRT && &__abort_msg && __abort_msg)
            put_text(h->crash_said, 0, sizeof h->crash_said, __abort_msg->text);
        put_callers(h, pc, backtrace(pc, sizeof pc / sizeof *pc),
                    number == SIGABRT ? NULL : instruction_of(context));
    }
    errno = kept;
    if (info->si_code <= 0 &&
        number !=
            SIGABRT) /* another process or thread sent the signal: the instruction will not raise
                      * it again */
        raise(number);
}

bool fore_rt_crash_is(const struct sigaction *a)
{
    return a->sa_flags & SA_SIGINFO && a->sa_sigaction == crash;
}

void fore_rt_crash_told_in(struct fore_ring_header *h)
{
    header = h;
}

void fore_rt_crash_watch(struct fore_ring_header *h)
{
    static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    struct sigaction a = {.sa_flags = SA_SIGINFO | SA_ONSTACK}, old;
    void *unused;
    header = h;
    a.sa_sigaction = crash;
    sigemptyset(&a.sa_mask);
    /* loads now what it needs, because later there may be no memory */
    backtrace(&unused, 1);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &old) && !(old.sa_flags & SA_SIGINFO) &&
            old.sa_handler == SIG_DFL)
            sigaction(numbers[i], &a, NULL);
}
