/* What functions of the C library do to memory of the program: one row each. The thread writes what
 * main has the library read or write. */
#include "pair.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <locale.h>
#include <math.h>
#include <netdb.h>
#include <poll.h>
#include <regex.h>
#include <search.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <wchar.h>

static char text[64] = "17 b", copy[64], *line, *key;
static long number, words[8] = {5, 3, 9, 1};
static int fds[2];
static size_t room;
static struct stat status;
static wchar_t wide[16] = L"abc";

static inline void channel(void) { MUST(pipe(fds)); MUST(write(fds[1], "abcdefgh\nij", 11)); }
static inline int by_value(const void *a, const void *b) { long p = *(const long *)a, q = *(const long *)b; return (p > q) - (p < q); }

/* NAME: what main prepares, what the thread does by hand, what main does by the library. */
#define ROW(before, by_hand, ...) /* what the library does */                             \
    static void prepare(void) { before; }                                                \
    static void first(void) { LOCK(); by_hand; UNLOCK(); }                               \
    static void second(void) { SOON(); LOCK(); __VA_ARGS__; UNLOCK(); }

/* ---- strings and numbers ---- */

#ifdef ROW_strlen
ROW(, text[0] = 'a', number = (long)strlen(text))
#endif
#ifdef ROW_strcpy
ROW(, text[0] = 'a', strcpy(copy, text))
#endif
#ifdef ROW_strcat
ROW(, copy[0] = 'a', strcat(copy, text))
#endif
#ifdef ROW_strcmp
ROW(, text[0] = 'a', number = strcmp(text, copy))
#endif
#ifdef ROW_strchr
ROW(, text[0] = 'a', number = strchr(text, 'b') != NULL)
#endif
#ifdef ROW_strstr
ROW(, text[0] = 'a', number = strstr(text, "7 b") != NULL)
#endif
#ifdef ROW_strtok
ROW(, text[1] = 'a', number = strtok_r(text, " ", &line) != NULL)
#endif
#ifdef ROW_strtok_position
ROW(, line = strtok(copy, " "), number = strtok(text, " ") != NULL)
#endif
#ifdef ROW_drand48
ROW(, srand48(7), number = lrand48())
#endif
#ifdef ROW_hsearch
static ENTRY entry = {"key", NULL};
ROW(hcreate(8), hsearch(entry, ENTER), number = hsearch(entry, FIND) != NULL)
#endif
#ifdef ROW_strsep
ROW(line = text, text[2] = 'a', number = strsep(&line, " ") != NULL)
#endif
#ifdef ROW_strdup
ROW(, text[0] = 'a', line = strdup(text))
#endif
#ifdef ROW_memccpy
ROW(, text[0] = 'a', number = memccpy(copy, text, ' ', 20) != NULL)
#endif
#ifdef ROW_swab
ROW(, text[0] = 'a', swab(text, copy, 4))
#endif
#ifdef ROW_strtol
ROW(, text[0] = '4', number = strtol(text, NULL, 10))
#endif
#ifdef ROW_strtol_end
ROW(, line = NULL, strtol(text, &line, 10))
#endif
#ifdef ROW_atof
ROW(, text[0] = '4', number = (long)atof(text))
#endif
#ifdef ROW_sprintf
ROW(, copy[0] = 'a', sprintf(copy, "%d", 17))
#endif
#ifdef ROW_snprintf_string
ROW(, text[0] = 'a', snprintf(copy, 20, "%5d<%s>", 1, text))
#endif
#ifdef ROW_vsnprintf
static void say(const char *format, ...) { va_list a; va_start(a, format); vsnprintf(copy, 20, format, a); va_end(a); }
ROW(, copy[0] = 'a', say("%d %s", 1, "x"))
#endif
#ifdef ROW_vsnprintf_string
static void say(const char *format, ...) { char c[32]; va_list a; va_start(a, format); vsnprintf(c, 20, format, a); va_end(a); }
ROW(, text[0] = 'a', say("%d %s", 1, text))
#endif
#ifdef ROW_asprintf
ROW(, line = NULL, number = asprintf(&line, "%d", 3))
#endif
#ifdef ROW_sscanf
ROW(, number = 3, sscanf("4", "%ld", &number))
#endif
#ifdef ROW_sscanf_text
ROW(, text[0] = '3', sscanf(text, "%ld", &number))
#endif
#ifdef ROW_wcslen
ROW(, wide[0] = 'x', number = (long)wcslen(wide))
#endif
#ifdef ROW_wcscpy
ROW(, wide[0] = 'x', wcscpy(wide, L"ab"))
#endif
#ifdef ROW_mbstowcs
ROW(, wide[0] = 'x', mbstowcs(wide, "ab", 8))
#endif
#ifdef ROW_frexp
static int exponent;
ROW(, exponent = 3, number = (long)frexp(8.5, &exponent))
#endif

/* ---- memory ---- */

#ifdef ROW_memcpy
ROW(number = 40, text[0] = 'a', memcpy(copy, text, (size_t)number))
#endif
#ifdef ROW_memset
ROW(number = 40, text[9] = 'a', memset(text, 0, (size_t)number))
#endif
#ifdef ROW_memcmp
ROW(, text[0] = 'a', number = memcmp(text, copy, 9))
#endif
#ifdef ROW_memchr
ROW(, text[0] = 'a', number = memchr(text, 'b', 9) != NULL)
#endif
#ifdef ROW_structure
struct s { long a[12]; };
static struct s from, to;
ROW(, from.a[7] = 1, to = from)
#endif
#ifdef ROW_qsort
ROW(, words[1] = 2, qsort(words, 4, sizeof *words, by_value))
#endif
#ifdef ROW_bsearch
ROW(, words[2] = 2; words[1] = 1, long k = 4; number = bsearch(&k, words, 4, sizeof *words, by_value) != NULL)
#endif
#ifdef ROW_lfind
ROW(, words[2] = 2, long k = 4; size_t n = 4; number = lfind(&k, words, &n, sizeof *words, by_value) != NULL)
#endif
#ifdef ROW_realloc
ROW(line = (char *)malloc(16), line[0] = 1, line = (char *)realloc(line, 1 << 20))
#endif
#ifdef ROW_free
ROW(line = key = (char *)calloc(16, 1), key[0] = 1, free(line))
#endif
#ifdef ROW_posix_memalign
static void *block;
ROW(, block = NULL, number = posix_memalign(&block, 64, 64))
#endif

/* ---- time, the environment, the system ---- */

#ifdef ROW_time
static time_t now;
ROW(, now = 1, time(&now))
#endif
#ifdef ROW_gettimeofday
static struct timeval now;
ROW(, now.tv_sec = 1, gettimeofday(&now, NULL))
#endif
#ifdef ROW_clock_gettime
static struct timespec now;
ROW(, now.tv_sec = 1, clock_gettime(CLOCK_REALTIME, &now))
#endif
#ifdef ROW_localtime_r
static struct tm when;
ROW(, when.tm_hour = 1, time_t t = 0; localtime_r(&t, &when))
#endif
#ifdef ROW_localtime /* all share one result */
ROW(, number = 3, time_t t = 0; number = localtime(&t)->tm_hour)
#endif
#ifdef ROW_readdir /* all use one buffer of the stream */
static DIR *names;
ROW(names = opendir("/"), number = readdir(names) != NULL, number = readdir(names) != NULL)
#endif
#ifdef ROW_strftime
static struct tm when;
ROW(, when.tm_hour = 1, strftime(copy, 20, "%H", &when))
#endif
#ifdef ROW_mktime
static struct tm when;
ROW(, when.tm_hour = 1, number = mktime(&when))
#endif
#ifdef ROW_environment
ROW(setenv("A", "1", 1), setenv("A", "2", 1), number = getenv("A") != NULL)
#endif
#ifdef ROW_uname
static struct utsname name;
ROW(, name.nodename[0] = 'a', uname(&name))
#endif
#ifdef ROW_getrusage
static struct rusage use;
ROW(, use.ru_maxrss = 1, getrusage(RUSAGE_SELF, &use))
#endif
#ifdef ROW_getrlimit
static struct rlimit limit;
ROW(, limit.rlim_cur = 1, getrlimit(RLIMIT_NOFILE, &limit))
#endif
#ifdef ROW_gethostname
ROW(, text[0] = 'a', gethostname(text, sizeof text))
#endif
#ifdef ROW_getcwd
ROW(, text[0] = 'a', number = getcwd(text, sizeof text) != NULL)
#endif
#ifdef ROW_strerror_r
ROW(, text[0] = 'a', strerror_r(9999, text, sizeof text))
#endif
#ifdef ROW_inet_pton
static struct in_addr address;
ROW(, address.s_addr = 1, inet_pton(AF_INET, "127.0.0.1", &address))
#endif
#ifdef ROW_inet_ntop
static struct in_addr address;
ROW(, address.s_addr = 1, inet_ntop(AF_INET, &address, copy, sizeof copy))
#endif
#ifdef ROW_regexec
static regmatch_t match[1];
static regex_t pattern;
ROW(regcomp(&pattern, "b", 0), match[0].rm_so = 1, regexec(&pattern, text, 1, match, 0))
#endif
#ifdef ROW_sigaction
static struct sigaction old;
ROW(, old.sa_flags = 1, sigaction(SIGUSR1, NULL, &old))
#endif
#ifdef ROW_sigprocmask
static sigset_t old;
ROW(, sigemptyset(&old), pthread_sigmask(SIG_BLOCK, NULL, &old))
#endif
#ifdef ROW_rand_r
static unsigned seed;
ROW(, seed = 1, number = rand_r(&seed))
#endif

/* ---- files and descriptors ---- */

#ifdef ROW_read
ROW(channel(), text[0] = 'a', MUST(read(fds[0], text, 4)))
#endif
#ifdef ROW_write
ROW(channel(), text[0] = 'a', MUST(write(fds[1], text, 4)))
#endif
#ifdef ROW_readv
ROW(channel(), copy[1] = 'a', struct iovec v[] = {{text, 2}, {copy, 4}}; MUST(readv(fds[0], v, 2)))
#endif
#ifdef ROW_writev
ROW(channel(), copy[1] = 'a', struct iovec v[] = {{text, 2}, {copy, 4}}; MUST(writev(fds[1], v, 2)))
#endif
#ifdef ROW_send
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)), text[0] = 'a', MUST(send(fds[1], text, 4, 0)))
#endif
#ifdef ROW_recv
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); MUST(send(fds[1], "abcd", 4, 0)), text[0] = 'a', MUST(recv(fds[0], text, 4, 0)))
#endif
#ifdef ROW_sendmsg
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)), text[0] = 'a', struct iovec v = {text, 4}; struct msghdr m = {0}; m.msg_iov = &v; m.msg_iovlen = 1; MUST(sendmsg(fds[1], &m, 0)))
#endif
#ifdef ROW_recvmsg
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)); MUST(send(fds[1], "abcd", 4, 0)), text[0] = 'a', struct iovec v = {text, 4}; struct msghdr m = {0}; m.msg_iov = &v; m.msg_iovlen = 1; MUST(recvmsg(fds[0], &m, 0)))
#endif
#ifdef ROW_raw_read
ROW(channel(), text[0] = 'a', MUST(syscall(SYS_read, fds[0], text, 4)))
#endif
#ifdef ROW_pipe_ends
ROW(, fds[0] = 1, MUST(pipe(fds)))
#endif
#ifdef ROW_socket_ends
ROW(, fds[0] = 1, MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)))
#endif
#ifdef ROW_getsockopt
static int value;
static socklen_t length = sizeof value;
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)), value = 3, MUST(getsockopt(fds[0], SOL_SOCKET, SO_TYPE, &value, &length)))
#endif
#ifdef ROW_getsockname
static struct sockaddr_storage name;
static socklen_t length = sizeof name;
ROW(MUST(socketpair(AF_UNIX, SOCK_STREAM, 0, fds)), name.ss_family = 3, MUST(getsockname(fds[0], (struct sockaddr *)&name, &length)))
#endif
#ifdef ROW_stat
ROW(, status.st_size = 3, MUST(stat("/", &status)))
#endif
#ifdef ROW_fstat
ROW(, status.st_size = 3, MUST(fstat(0, &status)))
#endif
#ifdef ROW_readlink
ROW(, text[0] = 'a', MUST(readlink("/proc/self/exe", text, sizeof text)))
#endif
#ifdef ROW_ioctl
static int ready;
ROW(channel(), ready = 3, MUST(ioctl(fds[0], FIONREAD, &ready)))
#endif
#ifdef ROW_poll_answer
static struct pollfd p;
ROW(channel(); p.fd = fds[0]; p.events = POLLIN, p.revents = 0, MUST(poll(&p, 1, 10)))
#endif
#ifdef ROW_select_answer
static fd_set s;
ROW(channel(), FD_SET(fds[0], &s), MUST(select(fds[0] + 1, &s, NULL, NULL, NULL)))
#endif
#ifdef ROW_epoll_answer
static struct epoll_event v;
static int e;
ROW(channel(); e = epoll_create1(0); v.events = EPOLLIN; epoll_ctl(e, EPOLL_CTL_ADD, fds[0], &v), v.data.fd = 3, MUST(epoll_wait(e, &v, 1, 10)))
#endif
#ifdef ROW_fgets
static FILE *f;
ROW(channel(); f = fdopen(fds[0], "r"), text[0] = 'a', number = fgets(text, 20, f) != NULL)
#endif
#ifdef ROW_fread
static FILE *f;
ROW(channel(); f = fdopen(fds[0], "r"), text[1] = 'a', number = (long)fread(text, 2, 2, f))
#endif
#ifdef ROW_fwrite
static FILE *f;
ROW(channel(); f = fdopen(fds[1], "w"), text[1] = 'a', number = (long)fwrite(text, 2, 2, f))
#endif
#ifdef ROW_fputs
static FILE *f;
ROW(channel(); f = fdopen(fds[1], "w"), text[1] = 'a', fputs(text, f))
#endif
#ifdef ROW_getline
static FILE *f;
ROW(channel(); f = fdopen(fds[0], "r"), line = NULL, number = getline(&line, &room, f))
#endif
#ifdef ROW_getline_text
static FILE *f;
ROW(channel(); f = fdopen(fds[0], "r"); room = 99; line = (char *)malloc(room), line[2] = 'a', number = getline(&line, &room, f))
#endif
#ifdef ROW_fscanf
static FILE *f;
ROW(channel(); f = fdopen(fds[0], "r"), text[1] = 'a', number = fscanf(f, "%20s", text))
#endif
#ifdef ROW_msgsnd
static struct { long type; char text[8]; } m = {1, "abc"};
static int q;
ROW(MUST(q = msgget(IPC_PRIVATE, 0600)), m.text[0] = 'x', MUST(msgsnd(q, &m, 4, 0)); msgctl(q, IPC_RMID, NULL))
#endif

/* ---- threads and children ---- */

#ifdef ROW_thread_handle /* main stores the handle while the thread that it made reads it */
static pthread_t t;
static void *child(void *p) { ORDER(pthread_mutex_lock(&pair_lock)); number = t == pthread_self(); ORDER(pthread_mutex_unlock(&pair_lock)); return p; }
static void prepare(void) {}
static void first(void) {}
static void second(void) { ORDER(pthread_mutex_lock(&pair_lock)); pthread_create(&t, NULL, child, NULL); ORDER(pthread_mutex_unlock(&pair_lock)); pthread_join(*(volatile pthread_t *)&t, NULL); }
#endif
#ifdef ROW_joined_value
static void *result;
static pthread_t t;
static void *child(void *p) { return p; }
ROW(pthread_create(&t, NULL, child, NULL), result = NULL, pthread_join(t, &result))
#endif
#ifdef ROW_wait_status
static int code;
ROW(if (fork() == 0) _exit(3), code = 3, MUST(wait(&code)))
#endif
#ifdef ROW_semaphore_value
#include <semaphore.h>
static sem_t s;
static int value;
ROW(sem_init(&s, 0, 3), value = 3, sem_getvalue(&s, &value))
#endif
#ifdef ROW_name_info
static struct sockaddr_in peer = {.sin_family = AF_INET};
ROW(, copy[0] = 'a', getnameinfo((struct sockaddr *)&peer, sizeof peer, copy, sizeof copy, NULL, 0, NI_NUMERICHOST))
#endif
#ifdef ROW_address_info
static struct addrinfo *found;
ROW(, found = NULL, getaddrinfo("127.0.0.1", "80", NULL, &found))
#endif
#ifdef ROW_tree_search
static void *tree;
ROW(, tree = NULL, tsearch(words, &tree, by_value))
#endif
#ifdef ROW_parsed_time
static struct tm then;
char *strptime(const char *, const char *, struct tm *);
ROW(, then.tm_year = 1, strptime("2020", "%Y", &then))
#endif
#ifdef ROW_checked_concatenation
char *__strcat_chk(char *, const char *, size_t);
ROW(, copy[0] = 'a', __strcat_chk(copy, text, sizeof copy))
#endif
#ifdef ROW_wide_search
ROW(, wide[0] = L'x', number = wcsstr(wide, L"bc") != NULL)
#endif
