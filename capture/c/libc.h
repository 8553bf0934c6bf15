/* What functions of the C library do to the program's memory, and how they order its threads: one
 * row each, a name and its effects, words with blanks between them. The instrumentor puts the
 * effects of a row around each call of the function, the runtime acts on them. A function without
 * effects does nothing that others could see. What has no row is not seen: see foreign.c.
 *
 *   <THING  >THING   something comes in from it after the call; goes out to it before the call
 *       N            the descriptor in argument N (one digit, from 0)
 *       FN           the stream in argument N
 *       kN           the object of System V in argument N
 *       i o          standard input, output
 *       s c e ?      signals; child processes; the environment; any that was met
 *   LN               both for descriptor N, if argument N + 1 is a command that locks
 *   rP=SIZE          reads memory at pointer P, before the call
 *   wP=SIZE          writes memory at pointer P, after it
 *   WP=SIZE          the same, unless the call returned NULL
 *       P            argument N, or R, what the call returned
 *       SIZE         a number of bytes, or
 *          s         a string with its end, as it is then        nK   the same, at most argument K
 *          aK        argument K      aK*aM  a product            R, R*aK  what was returned
 *          R+        what was returned, and 1                    mK   the same, at most argument K
 *          iK        of as many struct iovec as argument K says, what they point to
 *   =NM  =NMnK  =NMmK   compares the strings N and M; at most argument K of their bytes; as memory
 *   ~NM  ~NMnK       the same, and A is a
 *   tN=SIZE          reads up to where something was found (what was returned), or else so much
 *   pN vN cN         N is a format of printf, with its arguments; of vprintf; of scanf
 *   fN               the block at N is given back
 *   SN YN            the program may be about to forbid system calls: by prctl, by syscall
 *   !                it reaches into memory in a way that cannot be told */
#ifndef FORE_C_LIBC_H
#define FORE_C_LIBC_H

/* Functions that get pointers and do nothing with them that others could see, or whose effects are
 * told elsewhere; a name that ends in * stands for all that begin so. What the C++ library does to
 * the strings and streams of the program is not told. */
#define FORE_C_FINE                                                                      \
    "foresee_*", "llvm.*", "_Z*", "__cxa_*", "__gxx_*", "__clang_*", "pthread_*",        \
        "thrd_*", "mtx_*", "cnd_*", "tss_*", "sem_*", "sig*", "__sig*", "malloc",        \
        "calloc", "free", "memalign", "aligned_alloc", "posix_memalign",                 \
        "malloc_usable_size", "exit", "atexit", "at_quick_exit", "abort",                \
        "__assert_fail", "__errno_location", "__ctype_*", "__stack_chk_fail", "setjmp",  \
        "_setjmp", "__sigsetjmp", "longjmp", "strerror", "setvbuf", "setbuf", "fseek",   \
        "fseeko", "ftell", "ftello", "rewind", "feof", "ferror", "clearerr", "fileno",   \
        "flockfile", "funlockfile", "tmpfile", "setlocale", "stat", "lstat", "fstat",    \
        "fstatat", "statfs", "opendir", "closedir", "readdir", "chdir", "chmod",         \
        "isatty", "getopt*", "dlopen", "dlsym", "dlclose", "dlerror", "bind", "listen",  \
        "setsockopt", "getsockopt", "getsockname", "getpeername", "inet_*",              \
        "getaddrinfo", "freeaddrinfo", "gai_strerror", "ioctl", "mmap", "munmap",        \
        "mprotect", "madvise", "mlock", "munlock", "sched_*", "getrusage", "times",      \
        "uname", "sysconf", "getrlimit", "setrlimit", "timer_*", "timerfd_*",            \
        "strsignal", "psignal", "err", "errx", "warn", "warnx", "syslog", "openlog",     \
        "bsearch", "div", "rand", "random", "drand48", "nan", "lldiv", "mkstemp",        \
        "mkdtemp", "utime", "utimes", "execv*", "execl*", "getpw*", "getgr*",            \
        "initgroups", "umask", "nftw", "ftw", "glob", "globfree", "regcomp", "regexec",  \
        "regfree", "localeconv", "iconv*", "newlocale", "freelocale", "uselocale",       \
        "__libc_*", "_exit", "_Exit", "quick_exit", "getitimer", "setitimer", "alarm",   \
        "seccomp_*", "on_exit", "main", "__tsan_*", "Annotate*", "AnnotateHappens*"

#define FORE_C_LIBC(X)                                                                   \
    FORE_C_LIBC_MEMORY(X)                                                                \
    FORE_C_LIBC_NUMBERS(X)                                                               \
    FORE_C_LIBC_STREAMS(X)                                                               \
    FORE_C_LIBC_FILES(X)                                                                 \
    FORE_C_LIBC_ORDER(X)

#define FORE_C_LIBC_MEMORY(X)                                                            \
    X(memcmp, "=01m2")                                                                   \
    X(bcmp, "=01m2")                                                                     \
    X(memchr, "t0=a2")                                                                   \
    X(rawmemchr, "t0=s")                                                                 \
    X(memrchr, "r0=a2")                                                                  \
    X(memmem, "r0=a1 r2=a3")                                                             \
    X(mempcpy, "r1=a2 w0=a2")                                                            \
    X(bcopy, "r0=a2 w1=a2")                                                              \
    X(bzero, "w0=a1")                                                                    \
    X(explicit_bzero, "w0=a1")                                                           \
    X(strlen, "r0=s")                                                                    \
    X(strnlen, "r0=n1")                                                                  \
    X(strcmp, "=01")                                                                     \
    X(strncmp, "=01n2")                                                                  \
    X(strcasecmp, "~01")                                                                 \
    X(strncasecmp, "~01n2")                                                              \
    X(strcoll, "=01")                                                                    \
    X(strchr, "t0=s")                                                                    \
    X(strchrnul, "t0=s")                                                                 \
    X(index, "t0=s")                                                                     \
    X(strrchr, "r0=s")                                                                   \
    X(rindex, "r0=s")                                                                    \
    X(strpbrk, "t0=s r1=s")                                                              \
    X(strspn, "r0=s r1=s")                                                               \
    X(strcspn, "r0=s r1=s")                                                              \
    X(strstr, "t0=s r1=s")                                                               \
    X(strcasestr, "t0=s r1=s")                                                           \
    X(strdup, "r0=s")                                                                    \
    X(strndup, "r0=n1")                                                                  \
    X(strncat, "r1=n2 w0=s")                                                             \
    X(stpncpy, "r1=n2 w0=a2")                                                            \
    X(strtok, "r1=s wR=s")                                                               \
    X(strtok_r, "r1=s wR=s w2=8")                                                        \
    X(strsep, "r1=s r0=8 w0=8")                                                          \
    X(strxfrm, "r1=s w0=m2")                                                             \
    X(strerror_r, "")                                                                    \
    X(qsort, "w0=a1*a2")                                                                 \
    X(qsort_r, "w0=a1*a2")                                                               \
    X(realloc, "f0")                                                                     \
    X(reallocarray, "f0")

#define FORE_C_LIBC_NUMBERS(X)                                                           \
    X(atoi, "r0=s")                                                                      \
    X(atol, "r0=s")                                                                      \
    X(atoll, "r0=s")                                                                     \
    X(atof, "r0=s")                                                                      \
    X(strtol, "r0=s w1=8")                                                               \
    X(strtoul, "r0=s w1=8")                                                              \
    X(strtoll, "r0=s w1=8")                                                              \
    X(strtoull, "r0=s w1=8")                                                             \
    X(__isoc23_strtol, "r0=s w1=8")                                                      \
    X(__isoc23_strtoul, "r0=s w1=8")                                                     \
    X(__isoc23_strtoll, "r0=s w1=8")                                                     \
    X(__isoc23_strtoull, "r0=s w1=8")                                                    \
    X(strtoimax, "r0=s w1=8")                                                            \
    X(strtoumax, "r0=s w1=8")                                                            \
    X(strtod, "r0=s w1=8")                                                               \
    X(strtof, "r0=s w1=8")                                                               \
    X(strtold, "r0=s w1=8")                                                              \
    X(rand_r, "r0=4 w0=4")                                                               \
    X(frexp, "w1=4")                                                                     \
    X(modf, "w1=8")                                                                      \
    X(time, "w0=8")                                                                      \
    X(gettimeofday, "w0=16")                                                             \
    X(clock_gettime, "w1=16")                                                            \
    X(clock_getres, "w1=16")                                                             \
    X(nanosleep, "r0=16 w1=16")                                                          \
    X(clock_nanosleep, "r2=16 w3=16")                                                    \
    X(localtime, "r0=8")                                                                 \
    X(gmtime, "r0=8")                                                                    \
    X(ctime, "r0=8")                                                                     \
    X(localtime_r, "r0=8 w1=56")                                                         \
    X(gmtime_r, "r0=8 w1=56")                                                            \
    X(ctime_r, "r0=8 W1=s")                                                              \
    X(asctime_r, "r0=56 W1=s")                                                           \
    X(mktime, "r0=56 w0=56")                                                             \
    X(timegm, "r0=56 w0=56")                                                             \
    X(strftime, "r2=s r3=56 w0=R")                                                       \
    X(getentropy, "w0=a1")                                                               \
    X(getrandom, "w0=R")

#define FORE_C_LIBC_STREAMS(X)                                                           \
    X(printf, ">o p0")                                                                   \
    X(__printf_chk, ">o p1")                                                             \
    X(fprintf, ">F0 p1")                                                                 \
    X(__fprintf_chk, ">F0 p2")                                                           \
    X(dprintf, ">0 p1")                                                                  \
    X(sprintf, "p1 w0=R+")                                                               \
    X(__sprintf_chk, "p3 w0=R+")                                                         \
    X(snprintf, "p2 w0=m1")                                                              \
    X(__snprintf_chk, "p4 w0=m1")                                                        \
    X(asprintf, "p1 w0=8")                                                               \
    X(vprintf, ">o v0")                                                                  \
    X(vfprintf, ">F0 v1")                                                                \
    X(vsprintf, "v1 w0=R+")                                                              \
    X(vsnprintf, "v2 w0=m1")                                                             \
    X(__vsnprintf_chk, "v4 w0=m1")                                                       \
    X(vasprintf, "v1 w0=8")                                                              \
    X(puts, ">o r0=s")                                                                   \
    X(putchar, ">o")                                                                     \
    X(fputs, ">F1 r0=s")                                                                 \
    X(fputc, ">F1")                                                                      \
    X(putc, ">F1")                                                                       \
    X(fwrite, ">F3 r0=a1*a2")                                                            \
    X(fread, "<F3 w0=R*a1")                                                              \
    X(fgets, "<F2 W0=s")                                                                 \
    X(fgetc, "<F0")                                                                      \
    X(getc, "<F0")                                                                       \
    X(getchar, "<i")                                                                     \
    X(ungetc, ">F1")                                                                     \
    X(getline, "<F2 r0=8 w0=8 w1=8")                                                     \
    X(getdelim, "<F3 r0=8 w0=8 w1=8")                                                    \
    X(scanf, "<i c0")                                                                    \
    X(fscanf, "<F0 c1")                                                                  \
    X(sscanf, "r0=s c1")                                                                 \
    X(__isoc99_scanf, "<i c0")                                                           \
    X(__isoc99_fscanf, "<F0 c1")                                                         \
    X(__isoc99_sscanf, "r0=s c1")                                                        \
    X(__isoc23_scanf, "<i c0")                                                           \
    X(__isoc23_fscanf, "<F0 c1")                                                         \
    X(__isoc23_sscanf, "r0=s c1")                                                        \
    X(fopen, "r0=s r1=s")                                                                \
    X(fdopen, "r1=s")                                                                    \
    X(freopen, "r0=s r1=s")                                                              \
    X(fclose, ">F0")                                                                     \
    X(fflush, "")                                                                        \
    X(perror, "r0=s")

#define FORE_C_LIBC_FILES(X)                                                             \
    X(read, "<0 w1=R")                                                                   \
    X(__read_chk, "<0 w1=R")                                                             \
    X(pread, "<0 w1=R")                                                                  \
    X(pread64, "<0 w1=R")                                                                \
    X(readv, "<0 w1=i2")                                                                 \
    X(preadv, "<0 w1=i2")                                                                \
    X(write, ">0 r1=a2")                                                                 \
    X(pwrite, ">0 r1=a2")                                                                \
    X(pwrite64, ">0 r1=a2")                                                              \
    X(writev, ">0 r1=i2")                                                                \
    X(pwritev, ">0 r1=i2")                                                               \
    X(recv, "<0 w1=R")                                                                   \
    X(__recv_chk, "<0 w1=R")                                                             \
    X(recvfrom, "<0 w1=R")                                                               \
    X(recvmsg, "<0")                                                                     \
    X(recvmmsg, "<0")                                                                    \
    X(send, ">0 r1=a2")                                                                  \
    X(sendto, ">0 r1=a2")                                                                \
    X(sendmsg, ">0")                                                                     \
    X(sendmmsg, ">0")                                                                    \
    X(sendfile, "<1 >0")                                                                 \
    X(sendfile64, "<1 >0")                                                               \
    X(splice, "<0 >2")                                                                   \
    X(tee, "<0 >1")                                                                      \
    X(copy_file_range, "<0 >2")                                                          \
    X(pipe, "w0=8")                                                                      \
    X(pipe2, "w0=8")                                                                     \
    X(socketpair, "w3=8")                                                                \
    X(accept, "<0")                                                                      \
    X(accept4, "<0")                                                                     \
    X(connect, ">0 <0")                                                                  \
    X(shutdown, ">0")                                                                    \
    X(close, ">0")                                                                       \
    X(truncate, "r0=s")                                                                  \
    X(ftruncate, ">0")                                                                   \
    X(fallocate, ">0")                                                                   \
    X(open, "r0=s")                                                                      \
    X(open64, "r0=s")                                                                    \
    X(openat, "r1=s")                                                                    \
    X(creat, "r0=s")                                                                     \
    X(access, "r0=s")                                                                    \
    X(unlink, "r0=s")                                                                    \
    X(mkdir, "r0=s")                                                                     \
    X(rmdir, "r0=s")                                                                     \
    X(rename, "r0=s r1=s")                                                               \
    X(remove, "r0=s")                                                                    \
    X(link, "r0=s r1=s")                                                                 \
    X(symlink, "r0=s r1=s")                                                              \
    X(readlink, "r0=s w1=R")                                                             \
    X(realpath, "r0=s W1=s")                                                             \
    X(getcwd, "W0=s")                                                                    \
    X(gethostname, "")

#define FORE_C_LIBC_ORDER(X)                                                             \
    X(eventfd_read, "<0 w1=8")                                                           \
    X(eventfd_write, ">0")                                                               \
    X(timerfd_settime, ">0")                                                             \
    X(epoll_ctl, ">0")                                                                   \
    X(epoll_wait, "<? w1=R*12")                                                          \
    X(epoll_pwait, "<? w1=R*12")                                                         \
    X(poll, "<?")                                                                        \
    X(ppoll, "<?")                                                                       \
    X(select, "<?")                                                                      \
    X(pselect, "<?")                                                                     \
    X(flock, ">0 <0")                                                                    \
    X(lockf, ">0 <0")                                                                    \
    X(fcntl, "L0")                                                                       \
    X(fcntl64, "L0")                                                                     \
    X(mq_send, ">0 r1=a2")                                                               \
    X(mq_timedsend, ">0 r1=a2")                                                          \
    X(mq_receive, "<0 w1=R")                                                             \
    X(mq_timedreceive, "<0 w1=R")                                                        \
    X(msgsnd, ">k0")                                                                     \
    X(msgrcv, "<k0")                                                                     \
    X(semop, ">k0 <k0")                                                                  \
    X(semtimedop, ">k0 <k0")                                                             \
    X(semctl, ">k0 <k0")                                                                 \
    X(prctl, "S0")                                                                       \
    X(syscall, "Y0")                                                                     \
    X(shmat, "!")                                                                        \
    X(kill, ">s")                                                                        \
    X(killpg, ">s")                                                                      \
    X(raise, ">s")                                                                       \
    X(pthread_kill, ">s")                                                                \
    X(sigqueue, ">s")                                                                    \
    X(pthread_sigqueue, ">s")                                                            \
    X(sigwait, "<s w1=4")                                                                \
    X(sigwaitinfo, "<s")                                                                 \
    X(sigtimedwait, "<s")                                                                \
    X(sigsuspend, "<s")                                                                  \
    X(pause, "<s")                                                                       \
    X(fork, ">c")                                                                        \
    X(vfork, ">c")                                                                       \
    X(posix_spawn, ">c w0=4")                                                            \
    X(posix_spawnp, ">c w0=4")                                                           \
    X(system, ">c <c r0=s")                                                              \
    X(popen, ">c r0=s r1=s")                                                             \
    X(pclose, ">F0 <c")                                                                  \
    X(wait, "<c w0=4")                                                                   \
    X(waitpid, "<c w1=4")                                                                \
    X(wait3, "<c w0=4")                                                                  \
    X(wait4, "<c w1=4")                                                                  \
    X(waitid, "<c")                                                                      \
    X(getenv, "<e r0=s")                                                                 \
    X(secure_getenv, "<e r0=s")                                                          \
    X(setenv, ">e r0=s r1=s")                                                            \
    X(unsetenv, ">e r0=s")                                                               \
    X(putenv, ">e r0=s")                                                                 \
    X(clearenv, ">e")

#endif
