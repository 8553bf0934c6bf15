#include "node/proc.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char *fore_proc_read(pid_t pid, const char *name, char *text, size_t size)
{
    char path[128];
    size_t n = 0;
    ssize_t got = 0;
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && n < size - 1 && (got = read(fd, text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    if (fd >= 0)
        close(fd);
    text[n] = 0;
    return text;
}

const char *fore_proc_value(const char *text, const char *name)
{
    size_t n = strlen(name);
    for (const char *at = text; at; at = strchr(at, '\n')) {
        at += *at == '\n';
        if (!strncmp(at, name, n) && at[n] == ':')
            return at + n + 1 + strspn(at + n + 1, " \t");
    }
    return "";
}

bool fore_proc_ended(pid_t pid, int *status)
{
    siginfo_t i = {0};
    if (waitid(P_PID, (id_t)pid, &i, WEXITED | WNOHANG | WNOWAIT) < 0 || !i.si_pid)
        return false;
    *status = i.si_code == CLD_EXITED ? i.si_status : -i.si_status;
    return true;
}
