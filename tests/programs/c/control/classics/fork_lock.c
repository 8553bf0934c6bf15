/* A child takes a lock that another thread held when the process forked. FIXED: who forks holds it. */
#include "classics.h"
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int logged;
static void log_one(void) { pthread_mutex_lock(&m); logged++; pthread_mutex_unlock(&m); }
static void *logs(void *x) { for (int i = 0; i < 3; i++) log_one(); return x; }
static void *forks(void *x) { int status = 0; FIX(pthread_mutex_lock(&m);) pid_t child = fork(); FIX(pthread_mutex_unlock(&m);) if (!child) { log_one(); _exit(0); } waitpid(child, &status, 0); return x; }
int main(void) { RUN(logs, forks); return 0; }
