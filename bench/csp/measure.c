/* measure RUNS RINGS clocks|- CMD...: the processor time of CMD in microseconds, the least of RUNS:
 * untraced, recorded into the folder RINGS, with vector clocks (or -), and the bytes recorded.
 * Runs are interleaved, and time spent waiting for a processor does not count: machines are
 * noisy. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static long long run(char **argv, const char *variable, const char *value)
{
    struct rusage u;
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, STDOUT_FILENO);
        if (variable)
            setenv(variable, value, 1);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &u) != pid || status) {
        fprintf(stderr, "measure: %s failed\n", argv[0]);
        exit(1);
    }
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000LL + u.ru_utime.tv_usec +
           u.ru_stime.tv_usec;
}

static long long empty(const char *folder)
{
    long long bytes = 0;
    char path[4096];
    struct stat st;
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (f->d_name[0] != '.' && !stat(path, &st) && !unlink(path))
            bytes += st.st_size;
    }
    if (d)
        closedir(d);
    return bytes;
}

static void keep_least(long long *least, long long now)
{
    if (*least < 0 || now < *least)
        *least = now;
}

int main(int argc, char **argv)
{
    long long plain = -1, traced = -1, clocks = -1, bytes = 0;
    if (argc < 5)
        return 2;
    int runs = atoi(argv[1]);
    for (int i = 0; i < runs; i++) {
        keep_least(&plain, run(argv + 4, NULL, NULL));
        keep_least(&traced, run(argv + 4, "FORESEE_RING", argv[2]));
        bytes = empty(argv[2]);
        if (!strcmp(argv[3], "clocks") && i < 2)
            keep_least(&clocks, run(argv + 4, "FORESEE_METHOD", "clocks"));
    }
    printf("%lld %lld %lld %lld\n", plain, traced, clocks, bytes);
    return 0;
}
