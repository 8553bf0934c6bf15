/* What orders two threads: one row each, between #ifdef ROW_name and #endif. The thread writes x and
 * lets main know; main waits for that and writes x, too. */
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

static int x, fds[2];
static char byte = 1;

static inline void temporary(void) /* a file that both ends have open */
{
    char name[] = "/tmp/pair-XXXXXX";
    MUST(fds[0] = mkstemp(name));
    MUST(fds[1] = open(name, O_RDWR));
    unlink(name);
}

static inline void block_signal(int number)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, number);
    pthread_sigmask(SIG_BLOCK, &s, NULL);
}

static inline sigset_t one_signal(int number)
{
    sigset_t s;
    sigemptyset(&s);
    sigaddset(&s, number);
    return s;
}

/* ---- descriptors ---- */

#ifdef ROW_pipe
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { char c; ORDER(MUST(read(fds[0], &c, 1))); x = 2; }
#endif

#ifdef ROW_pipe_end
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; close(fds[1]); }
static void second(void) { char c; ORDER(MUST(read(fds[0], &c, 1))); x = 2; }
#endif

#ifdef ROW_fifo
static char name[] = "/tmp/pair-fifo-XXXXXX";
static void prepare(void) { MUST(mkstemp(name)); unlink(name); MUST(mkfifo(name, 0600)); MUST(fds[0] = open(name, O_RDWR)); }
static void first(void) { x = 1; int d; MUST(d = open(name, O_WRONLY)); MUST(write(d, &byte, 1)); close(d); }
static void second(void) { char c; ORDER(MUST(read(fds[0], &c, 1))); x = 2; unlink(name); }
#endif

#ifdef ROW_two_pipes /* the other pipe orders nothing */
static int other[2];
static void prepare(void) { MUST(pipe(fds)); MUST(pipe(other)); MUST(write(other[1], &byte, 1)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { char c; SOON(); MUST(read(other[0], &c, 1)); ORDER(MUST(read(fds[0], &c, 1))); x = 2; }
#endif

#ifdef ROW_socketpair
static void prepare(void) { MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); }
static void first(void) { x = 1; MUST(send(fds[1], &byte, 1, 0)); }
static void second(void) { char c; ORDER(MUST(recv(fds[0], &c, 1, 0))); x = 2; }
#endif

#ifdef ROW_two_sockets /* another connection orders nothing */
static int other[2];
static void prepare(void) { MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, other)); MUST(send(other[1], &byte, 1, 0)); }
static void first(void) { x = 1; MUST(send(fds[1], &byte, 1, 0)); }
static void second(void) { char c; SOON(); MUST(recv(other[0], &c, 1, 0)); ORDER(MUST(recv(fds[0], &c, 1, 0))); x = 2; }
#endif

#if defined ROW_tcp || defined ROW_accept
static struct sockaddr_in here = {.sin_family = AF_INET};
static void prepare(void)
{
    socklen_t n = sizeof here;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    MUST(fds[0] = socket(AF_INET, SOCK_STREAM, 0));
    MUST(bind(fds[0], (struct sockaddr *)&here, n));
    MUST(listen(fds[0], 4));
    MUST(getsockname(fds[0], (struct sockaddr *)&here, &n));
}
static void first(void)
{
    int d;
    MUST(d = socket(AF_INET, SOCK_STREAM, 0));
#ifdef ROW_accept
    x = 1;
#endif
    MUST(connect(d, (struct sockaddr *)&here, sizeof here));
#ifdef ROW_tcp
    usleep(10000);
    x = 1;
    MUST(send(d, "hello", 5, 0));
#endif
    SOON();
}
#ifdef ROW_tcp
static void second(void) { int d; char text[8]; MUST(d = accept(fds[0], NULL, NULL)); ORDER(MUST(recv(d, text, 5, 0))); x = 2; }
#else
static void second(void) { ORDER(MUST(accept(fds[0], NULL, NULL))); x = 2; }
#endif
#endif

#ifdef ROW_udp
static struct sockaddr_in here = {.sin_family = AF_INET};
static void prepare(void)
{
    socklen_t n = sizeof here;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    MUST(fds[0] = socket(AF_INET, SOCK_DGRAM, 0));
    MUST(bind(fds[0], (struct sockaddr *)&here, n));
    MUST(getsockname(fds[0], (struct sockaddr *)&here, &n));
    MUST(fds[1] = socket(AF_INET, SOCK_DGRAM, 0));
}
static void first(void) { x = 1; MUST(sendto(fds[1], "a", 1, 0, (struct sockaddr *)&here, sizeof here)); }
static void second(void) { char c; ORDER(MUST(recvfrom(fds[0], &c, 1, 0, NULL, NULL))); x = 2; }
#endif

#ifdef ROW_message
static void prepare(void) { MUST(socketpair(AF_UNIX, SOCK_DGRAM, 0, fds)); }
static void first(void)
{
    struct iovec v = {&byte, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    x = 1;
    MUST(sendmsg(fds[1], &m, 0));
}
static void second(void)
{
    char c;
    struct iovec v = {&c, 1};
    struct msghdr m = {.msg_iov = &v, .msg_iovlen = 1};
    ORDER(MUST(recvmsg(fds[0], &m, 0)));
    x = 2;
}
#endif

#ifdef ROW_shutdown
static void prepare(void) { MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); }
static void first(void) { x = 1; shutdown(fds[1], SHUT_WR); }
static void second(void) { char c; ORDER(MUST(recv(fds[0], &c, 1, 0))); x = 2; }
#endif

#ifdef ROW_eventfd
static void prepare(void) { MUST(fds[0] = eventfd(0, 0)); }
static void first(void) { x = 1; MUST(eventfd_write(fds[0], 1)); }
static void second(void) { eventfd_t v; ORDER(MUST(eventfd_read(fds[0], &v))); x = 2; }
#endif

#ifdef ROW_eventfd_dup
static void prepare(void) { MUST(fds[0] = eventfd(0, 0)); MUST(fds[1] = dup(fds[0])); }
static void first(void) { unsigned long one = 1; x = 1; MUST(write(fds[1], &one, 8)); }
static void second(void) { eventfd_t v; ORDER(MUST(read(fds[0], &v, 8))); x = 2; }
#endif

#ifdef ROW_timerfd
static void prepare(void) { MUST(fds[0] = timerfd_create(CLOCK_MONOTONIC, 0)); }
static void first(void) { struct itimerspec t = {.it_value = {0, 1000000}}; x = 1; MUST(timerfd_settime(fds[0], 0, &t, NULL)); }
static void second(void) { unsigned long v; ORDER(MUST(read(fds[0], &v, 8))); x = 2; }
#endif

#ifdef ROW_signalfd
static void prepare(void) { block_signal(SIGUSR1); sigset_t s = one_signal(SIGUSR1); MUST(fds[0] = signalfd(-1, &s, 0)); }
static void first(void) { x = 1; kill(getpid(), SIGUSR1); }
static void second(void) { struct signalfd_siginfo s; ORDER(MUST(read(fds[0], &s, sizeof s))); x = 2; }
#endif

#ifdef ROW_inotify
static char name[] = "/tmp/pair-XXXXXX";
static void prepare(void) { MUST(fds[1] = mkstemp(name)); MUST(fds[0] = inotify_init1(0)); MUST(inotify_add_watch(fds[0], name, IN_MODIFY)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { char v[512]; ORDER(MUST(read(fds[0], v, sizeof v))); x = 2; unlink(name); }
#endif

#ifdef ROW_poll
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { struct pollfd p = {fds[0], POLLIN, 0}; ORDER(MUST(poll(&p, 1, -1))); x = 2; }
#endif

#ifdef ROW_ppoll
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { struct pollfd p = {fds[0], POLLIN, 0}; ORDER(MUST(ppoll(&p, 1, NULL, NULL))); x = 2; }
#endif

#ifdef ROW_select
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { fd_set s; FD_ZERO(&s); FD_SET(fds[0], &s); ORDER(MUST(select(fds[0] + 1, &s, NULL, NULL, NULL))); x = 2; }
#endif

#ifdef ROW_epoll
static int e;
static void prepare(void) { struct epoll_event v = {.events = EPOLLIN}; MUST(pipe(fds)); MUST(e = epoll_create1(0)); MUST(epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &v)); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { struct epoll_event v; ORDER(MUST(epoll_wait(e, &v, 1, -1))); x = 2; }
#endif

#ifdef ROW_epoll_add /* what is added to the set is handed over with it */
static int e;
static void prepare(void) { MUST(pipe(fds)); MUST(e = epoll_create1(0)); MUST(write(fds[1], &byte, 1)); }
static void first(void) { struct epoll_event v = {.events = EPOLLIN}; x = 1; MUST(epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &v)); }
static void second(void) { struct epoll_event v; ORDER(MUST(epoll_wait(e, &v, 1, -1))); x = 2; }
#endif

#ifdef ROW_stream
static FILE *in, *out;
static void prepare(void) { MUST(pipe(fds)); in = fdopen(fds[0], "r"); out = fdopen(fds[1], "w"); }
static void first(void) { x = 1; fprintf(out, "go\n"); fflush(out); }
static void second(void) { char c[8]; ORDER(if (!fgets(c, sizeof c, in)) exit(7)); x = 2; }
#endif

#ifdef ROW_file /* written and read */
static void prepare(void) { temporary(); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { char c; SOON(); ORDER(while (pread(fds[0], &c, 1, 0) != 1) sched_yield()); x = 2; }
#endif

#ifdef ROW_file_size
static void prepare(void) { temporary(); }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { struct stat s = {0}; ORDER(while (fstat(fds[0], &s) || !s.st_size) sched_yield()); x = 2; }
#endif

#ifdef ROW_file_name /* made under another name, and renamed */
static char from[] = "/tmp/pair-XXXXXX", to[40];
static void prepare(void) { MUST(mkstemp(from)); snprintf(to, sizeof to, "%s-done", from); }
static void first(void) { x = 1; MUST(rename(from, to)); }
static void second(void) { SOON(); ORDER(while (access(to, F_OK)) sched_yield()); x = 2; unlink(to); }
#endif

#ifdef ROW_file_created
static char name[] = "/tmp/pair-XXXXXX";
static void prepare(void) { MUST(mkstemp(name)); unlink(name); }
static void first(void) { x = 1; MUST(open(name, O_CREAT | O_EXCL | O_WRONLY, 0600)); }
static void second(void) { SOON(); ORDER(while (open(name, O_RDONLY) < 0) sched_yield()); x = 2; unlink(name); }
#endif

#ifdef ROW_file_by_child
static char name[] = "/tmp/pair-XXXXXX", touch[40];
static void prepare(void) { MUST(mkstemp(name)); unlink(name); snprintf(touch, sizeof touch, ": >%s", name); }
static void first(void) { x = 1; pclose(popen(touch, "w")); }
static void second(void) { SOON(); ORDER(while (access(name, F_OK)) sched_yield()); x = 2; unlink(name); }
#endif

#ifdef ROW_directory_lock /* mkdir as a lock */
static char name[] = "/tmp/pair-XXXXXX";
static void prepare(void) { MUST(mkstemp(name)); unlink(name); }
static inline void enter(void) { ORDER(while (mkdir(name, 0700)) sched_yield()); }
static inline void leave(void) { ORDER(rmdir(name)); }
static void first(void) { enter(); x = 1; leave(); }
static void second(void) { SOON(); enter(); x = 2; leave(); }
#endif

#ifdef ROW_reuse /* a descriptor that was closed is got again */
static void prepare(void) { MUST(fds[0] = dup(0)); MUST(fds[1] = dup(0)); close(fds[1]); }
static void first(void) { x = 1; close(fds[0]); }
static void second(void) { SOON(); ORDER(for (int d; (d = dup(0)) != fds[0];) close(d)); x = 2; }
#endif

#ifdef ROW_flock
static void prepare(void) { temporary(); }
static void first(void) { ORDER(flock(fds[0], LOCK_EX)); x = 1; ORDER(flock(fds[0], LOCK_UN)); }
static void second(void) { SOON(); ORDER(flock(fds[1], LOCK_EX)); x = 2; ORDER(flock(fds[1], LOCK_UN)); }
#endif

#ifdef ROW_fcntl
static void set(int d, short type) { struct flock l = {.l_type = type, .l_whence = SEEK_SET}; MUST(fcntl(d, F_OFD_SETLKW, &l)); }
static void prepare(void) { temporary(); set(fds[0], F_UNLCK); }
static void first(void) { ORDER(set(fds[0], F_WRLCK)); x = 1; ORDER(set(fds[0], F_UNLCK)); }
static void second(void) { SOON(); ORDER(set(fds[1], F_WRLCK)); x = 2; ORDER(set(fds[1], F_UNLCK)); }
#endif

#ifdef ROW_raw_system_call
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { x = 1; MUST(syscall(SYS_write, fds[1], &byte, 1)); }
static void second(void) { char c; ORDER(MUST(syscall(SYS_read, fds[0], &c, 1))); x = 2; }
#endif

/* ---- semaphores and queues ---- */

#ifdef ROW_semaphore
static sem_t s;
static void prepare(void) { sem_init(&s, 0, 0); }
static void first(void) { x = 1; sem_post(&s); }
static void second(void) { ORDER(sem_wait(&s)); x = 2; }
#endif

#ifdef ROW_named_semaphore
static sem_t *s, *same;
static void prepare(void) { char n[32]; snprintf(n, sizeof n, "/pair-%d", (int)getpid()); s = sem_open(n, O_CREAT | O_EXCL, 0600, 0); same = sem_open(n, 0); sem_unlink(n); if (s == SEM_FAILED) exit(7); }
static void first(void) { x = 1; sem_post(s); }
static void second(void) { ORDER(sem_wait(same)); x = 2; }
#endif

#ifdef ROW_system_v_semaphore
static int s;
static void change(short by) { struct sembuf b = {0, by, 0}; MUST(semop(s, &b, 1)); }
static void prepare(void) { MUST(s = semget(IPC_PRIVATE, 1, 0600)); }
static void first(void) { x = 1; change(1); }
static void second(void) { ORDER(change(-1)); x = 2; usleep(50000); semctl(s, 0, IPC_RMID); }
#endif

#ifdef ROW_system_v_queue
static int q;
static struct { long type; char text[4]; } m = {1, "abc"}, got;
static void prepare(void) { MUST(q = msgget(IPC_PRIVATE, 0600)); }
static void first(void) { x = 1; MUST(msgsnd(q, &m, 4, 0)); }
static void second(void) { ORDER(MUST(msgrcv(q, &got, 4, 0, 0))); x = 2; usleep(50000); msgctl(q, IPC_RMID, NULL); }
#endif

#ifdef ROW_message_queue
static mqd_t q;
static void prepare(void) { char n[32]; struct mq_attr a = {.mq_maxmsg = 2, .mq_msgsize = 8}; snprintf(n, sizeof n, "/pair-%d", (int)getpid()); MUST(q = mq_open(n, O_CREAT | O_RDWR, 0600, &a)); mq_unlink(n); }
static void first(void) { x = 1; MUST(mq_send(q, &byte, 1, 0)); }
static void second(void) { char c[8]; ORDER(MUST(mq_receive(q, c, 8, NULL))); x = 2; }
#endif

/* ---- signals ---- */

#ifdef ROW_sigwait
static void prepare(void) { block_signal(SIGUSR1); }
static void first(void) { x = 1; kill(getpid(), SIGUSR1); }
static void second(void) { sigset_t s = one_signal(SIGUSR1); int n; ORDER(sigwait(&s, &n)); x = 2; }
#endif

#ifdef ROW_sigwaitinfo
static void prepare(void) { block_signal(SIGRTMIN); }
static void first(void) { union sigval v = {7}; x = 1; sigqueue(getpid(), SIGRTMIN, v); }
static void second(void) { sigset_t s = one_signal(SIGRTMIN); siginfo_t i; ORDER(MUST(sigwaitinfo(&s, &i))); x = 2; }
#endif

#ifdef ROW_sigsuspend
static void ignore(int unused) { (void)unused; }
static void prepare(void) { block_signal(SIGUSR1); signal(SIGUSR1, ignore); }
static void first(void) { x = 1; kill(getpid(), SIGUSR1); }
static void second(void) { sigset_t s; sigemptyset(&s); ORDER(sigsuspend(&s)); x = 2; }
#endif

#ifdef ROW_handler /* the handler runs after the kill */
static volatile sig_atomic_t done;
static pthread_t target;
static void handle(int unused) { (void)unused; x++; done = 1; }
static void prepare(void) { signal(SIGUSR1, handle); target = pthread_self(); }
static void first(void) { ORDER(x = 1); pthread_kill(target, SIGUSR1); ORDER((void)0); usleep(60000);
#ifdef RACY
    x = 1;
#endif
}
static void second(void) { while (!done) sched_yield(); }
#endif

#ifdef ROW_handler_of_a_timer
static volatile sig_atomic_t done;
static void handle(int unused) { (void)unused; x++; done = 1; }
static void prepare(void) { signal(SIGALRM, handle); }
static void first(void) { struct itimerval v = {.it_value = {0, 5000}}; ORDER(x = 1); block_signal(SIGALRM); setitimer(ITIMER_REAL, &v, NULL); usleep(60000);
#ifdef RACY
    x = 1;
#endif
}
static void second(void) { while (!done) sched_yield(); }
#endif

/* ---- children ---- */

#ifdef ROW_waitpid
static pid_t child;
static void prepare(void) { char c; MUST(pipe(fds)); MUST(child = fork()); if (!child) { close(fds[1]); _exit(read(fds[0], &c, 1) != 1); } }
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { int s; ORDER(MUST(waitpid(child, &s, 0))); x = 2; }
#endif

#ifdef ROW_waitid
static pid_t child;
static void prepare(void) { MUST(child = fork()); if (!child) { pause(); _exit(0); } }
static void first(void) { x = 1; kill(child, SIGTERM); }
static void second(void) { siginfo_t s; ORDER(MUST(waitid(P_PID, (id_t)child, &s, WEXITED))); x = 2; kill(child, SIGKILL); }
#endif

#ifdef ROW_spawn
static pid_t child;
static void prepare(void) { MUST(pipe(fds)); }
static void first(void) { char *argv[] = {"true", NULL}; x = 1; posix_spawnp(&child, "true", NULL, NULL, argv, NULL); MUST(write(fds[1], &byte, 1)); }
static void second(void) { ORDER(while (wait(NULL) < 0) sched_yield()); x = 2; }
#endif

#ifdef ROW_shared_memory /* another process lets main know, in memory of both */
static atomic_int *flag;
static pid_t child;
static void prepare(void)
{
    char c;
    flag = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    MUST(pipe(fds));
    MUST(child = fork());
    if (!child) {
        close(fds[1]);
        if (read(fds[0], &c, 1) == 1)
            atomic_store(flag, 1);
        _exit(0);
    }
}
static void first(void) { x = 1; MUST(write(fds[1], &byte, 1)); }
static void second(void) { ORDER(while (!atomic_load(flag)) sched_yield()); x = 2; waitpid(child, NULL, 0); }
#endif

/* ---- threads ---- */

#ifdef ROW_mutex
static void prepare(void) {}
static void first(void) { LOCK(); x = 1; UNLOCK(); }
static void second(void) { SOON(); LOCK(); x = 2; UNLOCK(); }
#endif

#ifdef ROW_condition
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void prepare(void) {}
static void first(void) { x = 1; pthread_mutex_lock(&pair_lock); ready = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&pair_lock); }
static void second(void) { ORDER(pthread_mutex_lock(&pair_lock); while (!ready) pthread_cond_wait(&c, &pair_lock); pthread_mutex_unlock(&pair_lock)); x = 2; }
#endif

#ifdef ROW_rwlock
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static void prepare(void) {}
static void first(void) { ORDER(pthread_rwlock_wrlock(&l)); x = 1; ORDER(pthread_rwlock_unlock(&l)); }
static void second(void) { SOON(); ORDER(pthread_rwlock_rdlock(&l)); if (x > 3) abort(); ORDER(pthread_rwlock_unlock(&l)); }
#endif

#ifdef ROW_spin
static pthread_spinlock_t l;
static void prepare(void) { pthread_spin_init(&l, 0); }
static void first(void) { ORDER(pthread_spin_lock(&l)); x = 1; ORDER(pthread_spin_unlock(&l)); }
static void second(void) { SOON(); ORDER(pthread_spin_lock(&l)); x = 2; ORDER(pthread_spin_unlock(&l)); }
#endif

#ifdef ROW_barrier
static pthread_barrier_t b;
static void prepare(void) { pthread_barrier_init(&b, NULL, 2); }
static void first(void) { x = 1; ORDER(pthread_barrier_wait(&b)); }
static void second(void) { ORDER(pthread_barrier_wait(&b)); x = 2; }
#endif

#ifdef ROW_once
static pthread_once_t o = PTHREAD_ONCE_INIT;
static void make(void) { x = 1; }
static void prepare(void) {}
static void first(void) { ORDER(pthread_once(&o, make)); x++; usleep(60000); }
static void second(void) { SOON(); ORDER(pthread_once(&o, make)); ORDER((void)0); LOCK(); UNLOCK();
#ifdef RACY
    x = 2;
#endif
}
#endif

#ifdef ROW_tryjoin
static pthread_t t;
static void *child(void *p) { x = 1; return p; }
static void prepare(void) { pthread_create(&t, NULL, child, NULL); }
static void first(void) {}
static void second(void) { SOON(); ORDER(while (pthread_tryjoin_np(t, NULL)) sched_yield()); x = 2; }
#endif

#ifdef ROW_timedjoin
static pthread_t t;
static void *child(void *p) { x = 1; return p; }
static void prepare(void) { pthread_create(&t, NULL, child, NULL); }
static void first(void) {}
static void second(void) { struct timespec s; clock_gettime(CLOCK_REALTIME, &s); s.tv_sec += 5; ORDER(pthread_timedjoin_np(t, NULL, &s)); x = 2; }
#endif

#ifdef ROW_key_destructor /* runs before the thread is joined */
static pthread_key_t k;
static pthread_t t;
static void destroy(void *p) { x = p != NULL; }
static void *child(void *p) { pthread_setspecific(k, &x); return p; }
static void prepare(void) { pthread_key_create(&k, destroy); pthread_create(&t, NULL, child, NULL); }
static void first(void) {}
static void second(void) { ORDER(pthread_join(t, NULL)); x = 2; }
#endif

#ifdef ROW_cleanup
static pthread_t t;
static void clean(void *p) { (void)p; x = 1; }
static void *child(void *p) { pthread_cleanup_push(clean, NULL); pthread_exit(p); pthread_cleanup_pop(0); return p; }
static void prepare(void) { pthread_create(&t, NULL, child, NULL); }
static void first(void) {}
static void second(void) { ORDER(pthread_join(t, NULL)); x = 2; }
#endif

#ifdef ROW_cancel
static pthread_t t;
static void clean(void *p) { (void)p; x = 1; }
static void *child(void *p) { pthread_cleanup_push(clean, NULL); for (;;) usleep(1000); pthread_cleanup_pop(0); return p; }
static void prepare(void) { pthread_create(&t, NULL, child, NULL); }
static void first(void) {}
static void second(void) { usleep(5000); pthread_cancel(t); ORDER(pthread_join(t, NULL)); x = 2; }
#endif

#ifdef ROW_timer_thread /* armed, then a thread of the C library runs */
static timer_t id;
static sem_t s;
static void fire(union sigval v) { (void)v; x = 2; sem_post(&s); }
static void prepare(void) { struct sigevent e = {.sigev_notify = SIGEV_THREAD}; e.sigev_notify_function = fire; sem_init(&s, 0, 0); MUST(timer_create(CLOCK_MONOTONIC, &e, &id)); }
static void first(void) { struct itimerspec v = {.it_value = {0, 2000000}}; ORDER(x = 1); MUST(timer_settime(id, 0, &v, NULL)); usleep(60000);
#ifdef RACY
    x = 1;
#endif
}
static void second(void) { sem_wait(&s); }
#endif

/* ---- atomics ---- */

#ifdef ROW_release_acquire
static atomic_int flag;
static void prepare(void) {}
static void first(void) { x = 1; atomic_store_explicit(&flag, 1, memory_order_release); }
static void second(void) { ORDER(while (!atomic_load_explicit(&flag, memory_order_acquire)) sched_yield()); x = 2; }
#endif

#ifdef ROW_fences
static atomic_int flag;
static void prepare(void) {}
static void first(void) { x = 1; atomic_thread_fence(memory_order_release); atomic_store_explicit(&flag, 1, memory_order_relaxed); }
static void second(void) { SOON(); while (!atomic_load_explicit(&flag, memory_order_relaxed)) sched_yield(); ORDER(atomic_thread_fence(memory_order_acquire)); x = 2; }
#endif

#ifdef ROW_atomic_flag
static atomic_flag f = ATOMIC_FLAG_INIT;
static void enter(void) { while (atomic_flag_test_and_set(&f)) sched_yield(); }
static void prepare(void) { enter(); atomic_flag_clear(&f); }
static void first(void) { ORDER(enter()); x = 1; ORDER(atomic_flag_clear(&f)); }
static void second(void) { SOON(); ORDER(enter()); x = 2; ORDER(atomic_flag_clear(&f)); }
#endif

#ifdef ROW_old_atomics /* __sync_... */
static int lock;
static void prepare(void) {}
static void first(void) { ORDER(while (__sync_lock_test_and_set(&lock, 1)) sched_yield()); x = 1; ORDER(__sync_lock_release(&lock)); }
static void second(void) { SOON(); ORDER(while (__sync_lock_test_and_set(&lock, 1)) sched_yield()); x = 2; ORDER(__sync_lock_release(&lock)); }
#endif

#ifdef ROW_futex
static atomic_int word;
static void prepare(void) {}
static void first(void) { x = 1; atomic_store(&word, 1); syscall(SYS_futex, &word, 1 /* wake */, 1, NULL, NULL, 0); }
static void second(void) { ORDER(while (!atomic_load(&word)) syscall(SYS_futex, &word, 0 /* wait */, 0, NULL, NULL, 0)); x = 2; }
#endif

#ifdef ROW_c11_once
static once_flag o = ONCE_FLAG_INIT;
static void make(void) { x = 1; }
static void prepare(void) {}
static void first(void) { call_once(&o, make); }
static void second(void) { SOON(); ORDER(call_once(&o, make)); x = 2; }
#endif

#ifdef ROW_stream_lock /* flockfile */
static void enter(void) { ORDER(flockfile(stderr)); }
static void leave(void) { ORDER(funlockfile(stderr)); }
static void prepare(void) {}
static void first(void) { enter(); x = 1; leave(); }
static void second(void) { SOON(); enter(); enter(); x = 2; leave(); leave(); }
#endif

#ifdef ROW_try_stream_lock
static void prepare(void) {}
static void first(void) { ORDER(flockfile(stdin)); x = 1; ORDER(funlockfile(stdin)); }
static void second(void) { SOON(); ORDER(while (ftrylockfile(stdin)) usleep(100)); x = 2; ORDER(funlockfile(stdin)); }
#endif

#ifdef ROW_atomic_16 /* of both halves only the second is changed */
static union { __int128 whole; long half[2]; } word __attribute__((aligned(16)));
static int swap(long from, long to) { __int128 a = (__int128)from << 64, b = (__int128)to << 64; return __sync_bool_compare_and_swap(&word.whole, a, b); }
static void prepare(void) {}
static void first(void) { x = 1; ORDER(swap(0, 1)); }
static void second(void) { SOON(); ORDER(while (!swap(1, 2)) usleep(100)); x = 2; }
#endif
