/* System calls that a program makes by itself count as the functions of their names. */
#include "capture/c/libc.h"
#include "capture/c/runtime/libc_call.h"

#include <string.h>
#include <sys/syscall.h>

static const struct {
    const char *name, *effects;
} rows[] = {
#define ROW(name, effects) {#name, effects},
    FORE_C_LIBC(ROW)
#undef ROW
};

/* System calls without a row do nothing that other threads see, or wait for what atomic accesses show (futex). */
static const struct {
    long number;
    const char *name;
} calls[] = {
#define CALL(name)                                                                       \
    {                                                                                    \
        SYS_##name, #name                                                                \
    }
    CALL(read),         CALL(write),      CALL(readv),           CALL(writev),
    CALL(recvfrom),     CALL(sendto),     CALL(recvmsg),         CALL(sendmsg),
    CALL(pread64),      CALL(pwrite64),   CALL(close),           CALL(openat),
    CALL(pipe2),        CALL(socketpair), CALL(fstat),           CALL(flock),
    CALL(kill),         CALL(wait4),      CALL(getrandom),       CALL(clock_gettime),
    CALL(gettimeofday), CALL(uname),      CALL(getcwd),          CALL(futex),
    CALL(gettid),       CALL(getpid),     CALL(sched_yield),     CALL(tgkill),
    CALL(tkill),        CALL(membarrier), CALL(getcpu),          CALL(exit),
    CALL(exit_group),   CALL(getppid),    CALL(set_robust_list), CALL(seccomp),
    CALL(rt_sigreturn), CALL(ioprio_set), CALL(prctl),           CALL(memfd_create),
#undef CALL
};

const char *fore_rt_libc_syscall(long number)
{
    const char *name = NULL;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].number == number)
            name = calls[i].name;
    for (size_t i = 0; name && i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, name))
            return rows[i].effects;
    if (number == SYS_tgkill || number == SYS_tkill)
        return ">s";
    return name ? "" : NULL;
}
