/* A handler of signals takes a lock that the thread which it interrupts may hold. FIXED: the signal is held back meanwhile. */
#include "classics.h"
#include <signal.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static int work, ticks; static pthread_t worker;
static void handle(int s) { (void)s; pthread_mutex_lock(&m); ticks++; pthread_mutex_unlock(&m); }
static void hold_back(int how) { sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); pthread_sigmask(how, &s, NULL); }
static void *works(void *x) { for (int i = 0; i < 4; i++) { FIX(hold_back(SIG_BLOCK);) pthread_mutex_lock(&m); work++; pthread_mutex_unlock(&m); FIX(hold_back(SIG_UNBLOCK);) } return x; }
int main(void) { (void)hold_back; signal(SIGUSR1, handle); pthread_create(&worker, NULL, works, NULL); pthread_kill(worker, SIGUSR1); pthread_join(worker, NULL); assert(work == 4); return 0; }
