/* How late a command ends that is told to end: by a signal or by its own --max-time, at random moments.
 *
 *     late MOST TRIES SEED CMD...
 *
 * The command runs once to its end, or for 15 s of processor time. Then it runs TRIES times; somewhere within that time
 * it gets SIGINT, SIGTERM or, if a word of it is "@time", the --max-time that goes there ends. From then on it may take
 * MOST seconds; of processor time if that is less, because the machine may be busy. */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 64, ENOUGH = 15 };

static char *words[WORDS];
static int time_at = -1; /* where @time stands */
static uint64_t state;

static double random_share(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 40) / (double)(1 << 24);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&t, NULL);
}

static pid_t start_command(double limit)
{
    char text[32];
    pid_t child = fork();
    if (child)
        return child;
    snprintf(text, sizeof text, "%.2f", limit);
    if (time_at >= 0)
        words[time_at] = text;
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _exit(126);
    execvp(words[0], words);
    _exit(127);
}

/* Processor time of a child that runs. */
static double used_so_far(pid_t child)
{
    char path[64], text[1024] = "", *at;
    unsigned long user = 0, system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    FILE *f = fopen(path, "r");
    if (f) {
        text[fread(text, 1, sizeof text - 1, f)] = 0;
        fclose(f);
    }
    at = strrchr(text, ')');
    if (at)
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Processor time of a child that has ended, or ends now. */
static double used_in_all(pid_t child, int *status)
{
    struct rusage r;
    if (wait4(child, status, 0, &r) != child)
        return -1;
    return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static int has_ended(pid_t child)
{
    siginfo_t info = {0};
    return !waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == child;
}

/* Waits until the child has used so much, or has ended. */
static void wait_until_used(pid_t child, double seconds)
{
    while (!has_ended(child) && used_so_far(child) < seconds)
        nap(0.002);
}

static double how_long(int *status)
{
    pid_t child = start_command(1000);
    wait_until_used(child, ENOUGH);
    kill(child, SIGKILL);
    return used_in_all(child, status);
}

/* How long the command went on after it was told to end. */
static double try_once(double whole, int by, double *when)
{
    int status;
    *when = random_share() * whole;
    pid_t child = start_command(by ? 1000 : *when);
    double begun = now();
    if (by)
        wait_until_used(child, *when);
    while (!by && !has_ended(child) && now() - begun < *when)
        nap(0.002);
    double used = used_so_far(child), told = now();
    if (by)
        kill(child, by);
    used = used_in_all(child, &status) - used; /* with its own children, if it has some */
    double late = now() - told;
    return late < used ? late : used;
}

int main(int argc, char **argv)
{
    static const int ways[] = {SIGINT, SIGTERM, 0};
    static const char *const names[] = {"SIGINT", "SIGTERM", "--max-time"};
    double worst = 0, worst_when = 0, most = argc > 4 ? atof(argv[1]) : 0;
    int tries = argc > 4 ? atoi(argv[2]) : 0, worst_way = 0, status = 0;
    if (argc < 5 || argc - 4 >= WORDS)
        return 2;
    state = strtoull(argv[3], NULL, 10);
    for (int i = 4; i < argc; i++) {
        words[i - 4] = argv[i];
        if (!strcmp(argv[i], "@time"))
            time_at = i - 4;
    }
    double whole = how_long(&status);
    if (whole < 0 || (WIFEXITED(status) && WEXITSTATUS(status) >= 126))
        return 2;
    for (int i = 0; i < tries; i++) {
        int way = i % (time_at < 0 ? 2 : 3);
        double when, late = try_once(whole, ways[way], &when);
        if (late > worst) {
            worst = late;
            worst_when = when;
            worst_way = way;
        }
    }
    printf("%.2f s of %.1f s after %s at %.2f s\n", worst, whole, names[worst_way], worst_when);
    return worst > most;
}
