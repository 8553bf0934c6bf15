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
 *       s c ?        signals; child processes; any that was met
 *       ?pN ?jN      what poll was asked in argument N, and answered; select of N descriptors
 *   LN               both for descriptor N, if argument N + 1 is a command that locks
 *   N<  N=           looks for names of files; and changes them
 *   NoK NmK          changes them, if the flags of open in argument K, the mode of fopen, say so
 *   bN BN            the file that the struct stat in argument N describes was looked at; the
 *                    descriptor
 *   XN XFN           the descriptor, the stream is closed
 *   OR OFR ON        a descriptor that was opened: what was returned; the two at pointer N
 *   DN               what was returned stands for the same as descriptor N
 *   m                memory is mapped, by the arguments of mmap
 *   rP=SIZE          reads memory at pointer P, before the call
 *   wP=SIZE          writes memory at pointer P, after it
 *   WP=SIZE          the same, unless the call returned NULL
 *   ZP=SIZE          the same, if it returned 0
 *       P            argument N, or R, what the call returned, or E, the environment, or what
 *                    the library keeps for all threads: T strtok's position, D the state of
 *                    drand48 and its like, H the table of hsearch
 *       SIZE         a number of bytes, or
 *          s         a string with its end, as it is then        nK   the same, at most argument K
 *          aK        argument K      aK*aM  a product, also with a number
 *          aK+N      a sum           R, R*aK  what was returned
 *          R+        what was returned, and 1                    mK   the same, at most argument K
 *          iK        of as many struct iovec as argument K says, what they point to
 *          h         of a struct msghdr, what its vector points to
 *          dK        up to what was returned, or as argument K says
 *          l         a wide string   *K     the 4 bytes that argument K points to
 *          fK        a set of so many descriptors               cK   as the command K of ioctl says
 *          oK        a string, if P is argument K
 *   qN               the struct pollfd at N, as many as argument N + 1
 *   uN               the C++ stream at N is written to, unless it is one that all may use
 *   =NM  =NMnK  =NMmK   compares the strings N and M; at most argument K of their bytes; as memory
 *   ~NM  ~NMnK       the same, and A is a
 *   tN=SIZE          reads up to where something was found (what was returned), or else so much
 *   pN vN cN         N is a format of printf, with its arguments; of vprintf; of scanf
 *   fN               the block at N is given back
 *   SN               the program may be about to forbid system calls: by prctl
 *   YN               the system call in argument N, with those that follow; see syscalls.c
 *   !                it reaches into memory in a way that cannot be told */
#ifndef FORE_C_LIBC_H
#define FORE_C_LIBC_H

/* Functions that get pointers and do nothing with them that others could see, or whose effects are
 * told elsewhere; a name that ends in * stands for all that begin so. */
#define FORE_C_FINE                                                                      \
    "foresee_*", "llvm.*", "_ZNS*", "_ZNKS*", "_ZS*", "_Zn*", "_Zd*", "__cxa_*",         \
        "__gxx_*", "__clang_*", "pthread_*", "thrd_*", "mtx_*", "cnd_*", "tss_*",        \
        "sem_*", "sig*", "__sig*", "malloc", "calloc", "free", "memalign",               \
        "aligned_alloc", "posix_memalign", "malloc_usable_size", "exit", "atexit",       \
        "at_quick_exit", "abort", "__assert_fail", "__errno_location", "__ctype_*",      \
        "__stack_chk_fail", "setjmp", "_setjmp", "__sigsetjmp", "longjmp", "strerror",   \
        "setvbuf", "setbuf", "fseek", "fseeko", "ftell", "ftello", "rewind", "feof",     \
        "ferror", "clearerr", "fileno", "tmpfile", "setlocale", "stat", "lstat",         \
        "fstat", "fstatat", "statfs", "opendir", "closedir", "chdir", "chmod", "isatty", \
        "getopt*", "dlopen", "dlsym", "dlclose", "dlerror", "bind", "listen",            \
        "setsockopt", "getsockopt", "getsockname", "getpeername", "inet_*",              \
        "getaddrinfo", "freeaddrinfo", "gai_strerror", "ioctl", "mmap", "munmap",        \
        "mprotect", "madvise", "mlock", "munlock", "sched_*", "getrusage", "times",      \
        "uname", "sysconf", "getrlimit", "setrlimit", "timer_*", "timerfd_*",            \
        "strsignal", "psignal", "err", "errx", "warn", "warnx", "verr", "verrx",         \
        "vwarn", "vwarnx", "syslog", "vsyslog", "__syslog_chk", "__vsyslog_chk",         \
        "openlog", "textdomain", "bindtextdomain", "bind_textdomain_codeset",            \
        "setlinebuf", "fseeko64", "ftello64", "tmpfile64", "__fpending", "__freading",   \
        "__fwriting", "__fsetlocking", "freeifaddrs", "hstrerror", "herror", "cfset*",   \
        "cfget*", "posix_spawn_*", "posix_spawnattr_*", "argp_*", "getsubopt",           \
        "malloc_trim", "malloc_info", "dl_iterate_phdr", "dladdr", "dlinfo", "dlvsym",   \
        "mremap", "msync", "shmdt", "shmctl", "rewinddir", "dirfd", "scandir*",          \
        "alphasort*", "nftw64", "ftw64", "glob64", "globfree64", "fts_*", "getlogin",    \
        "ttyname", "ctermid", "basename", "dirname", "wordexp", "wordfree", "bsearch",   \
        "div", "rand", "random", "nan", "lldiv", "mkstemp", "mkdtemp", "utime",          \
        "utimes", "execv*", "execl*", "getpw*", "getgr*", "initgroups", "umask", "nftw", \
        "ftw", "glob", "globfree", "regcomp", "regexec", "regfree", "localeconv",        \
        "iconv*", "newlocale", "freelocale", "uselocale", "__libc_*", "__pthread_*",     \
        "_exit", "_Exit", "quick_exit", "getitimer", "setitimer", "alarm", "seccomp_*",  \
        "on_exit", "main", "__tsan_*", "Annotate*", "AnnotateHappens*"

#define FORE_C_LIBC(X)                                                                   \
    FORE_C_LIBC_MEMORY(X)                                                                \
    FORE_C_LIBC_NUMBERS(X)                                                               \
    FORE_C_LIBC_STREAMS(X)                                                               \
    FORE_C_LIBC_FILES(X)                                                                 \
    FORE_C_LIBC_ORDER(X)                                                                 \
    FORE_C_LIBC_CXX(X)

#define FORE_C_LIBC_MEMORY(X)                                                            \
    X(memcmp, "=01m2")                                                                   \
    X(bcmp, "=01m2")                                                                     \
    X(memchr, "t0=a2")                                                                   \
    X(rawmemchr, "t0=s")                                                                 \
    X(memrchr, "r0=a2")                                                                  \
    X(memmem, "r0=a1 r2=a3")                                                             \
    X(memccpy, "r1=1 w0=d3")                                                             \
    X(swab, "r0=a2 w1=a2")                                                               \
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
    X(strlcpy, "r1=s w0=s")                                                              \
    X(strlcat, "r1=s w0=s")                                                              \
    X(strverscmp, "r0=s r1=s")                                                           \
    X(__strcat_chk, "r1=s w0=s")                                                         \
    X(__strncat_chk, "r1=n2 w0=s")                                                       \
    X(__strncpy_chk, "r1=n2 w0=a2")                                                      \
    X(__stpcpy_chk, "r1=s w0=s")                                                         \
    X(__mempcpy_chk, "r1=a2 w0=a2")                                                      \
    X(__explicit_bzero_chk, "w0=a1")                                                     \
    X(__strdup, "r0=s")                                                                  \
    X(__strndup, "r0=n1")                                                                \
    X(__strtok_r, "r1=s wR=s w2=8")                                                      \
    X(strcasecmp_l, "~01")                                                               \
    X(strncasecmp_l, "~01n2")                                                            \
    X(strcoll_l, "=01")                                                                  \
    X(fnmatch, "r0=s r1=s")                                                              \
    X(gettext, "r0=s")                                                                   \
    X(dgettext, "r0=s r1=s")                                                             \
    X(dcgettext, "r0=s r1=s")                                                            \
    X(ngettext, "r0=s r1=s")                                                             \
    X(dngettext, "r0=s r1=s r2=s")                                                       \
    X(dcngettext, "r0=s r1=s r2=s")                                                      \
    X(wcslen, "r0=l")                                                                    \
    X(wcscpy, "r1=l w0=l")                                                               \
    X(wcscat, "r1=l w0=l")                                                               \
    X(wcscmp, "r0=l r1=l")                                                               \
    X(wcsncpy, "r1=l w0=a2*4")                                                           \
    X(wcsdup, "r0=l")                                                                    \
    X(wmemcpy, "r1=a2*4 w0=a2*4")                                                        \
    X(wmemset, "w0=a2*4")                                                                \
    X(wmemmove, "r1=a2*4 w0=a2*4")                                                       \
    X(wcschr, "r0=l")                                                                    \
    X(wcsrchr, "r0=l")                                                                   \
    X(wcsstr, "r0=l r1=l")                                                               \
    X(wcstol, "r0=l w1=8")                                                               \
    X(wcstoul, "r0=l w1=8")                                                              \
    X(wcstod, "r0=l w1=8")                                                               \
    X(wcscoll, "r0=l r1=l")                                                              \
    X(wmemcmp, "r0=a2*4 r1=a2*4")                                                        \
    X(wmemchr, "r0=a2*4")                                                                \
    X(wcrtomb, "w0=R")                                                                   \
    X(mbstowcs, "r1=s w0=R*4")                                                           \
    X(wcstombs, "r1=l w0=R")                                                             \
    X(mbrtowc, "w0=4")                                                                   \
    X(mbtowc, "w0=4")                                                                    \
    X(__mbstowcs_chk, "r1=s w0=R*4")                                                     \
    X(__wcstombs_chk, "r1=l w0=R")                                                       \
    X(stpncpy, "r1=n2 w0=a2")                                                            \
    X(strtok, "r1=s wR=s wT=8")                                                          \
    X(strtok_r, "r1=s wR=s w2=8")                                                        \
    X(strsep, "r1=s r0=8 w0=8 wR=s")                                                     \
    X(strxfrm, "r1=s w0=m2")                                                             \
    X(regexec, "r1=s Z3=a2*8")                                                           \
    X(strerror_r, "wR=o1")                                                               \
    X(__xpg_strerror_r, "w1=s")                                                          \
    X(qsort, "w0=a1*a2")                                                                 \
    X(qsort_r, "w0=a1*a2")                                                               \
    X(lfind, "r2=8")                                                                     \
    X(tsearch, "w1=8")                                                                   \
    X(tdelete, "w1=8")                                                                   \
    X(tfind, "r1=8")                                                                     \
    X(twalk, "")                                                                         \
    X(realloc, "f0")                                                                     \
    X(posix_memalign, "Z0=8")                                                            \
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
    X(strtol_l, "r0=s w1=8")                                                             \
    X(strtoul_l, "r0=s w1=8")                                                            \
    X(strtod_l, "r0=s w1=8")                                                             \
    X(strtof_l, "r0=s w1=8")                                                             \
    X(strtold_l, "r0=s w1=8")                                                            \
    X(erand48, "r0=6 w0=6")                                                              \
    X(nrand48, "r0=6 w0=6")                                                              \
    X(jrand48, "r0=6 w0=6")                                                              \
    X(frexpf, "w1=4")                                                                    \
    X(modff, "w1=4")                                                                     \
    X(sincos, "w1=8 w2=8")                                                               \
    X(sincosf, "w1=4 w2=4")                                                              \
    X(lgamma_r, "w1=4")                                                                  \
    X(remquo, "w2=4")                                                                    \
    X(rand_r, "r0=4 w0=4")                                                               \
    X(frexp, "w1=4")                                                                     \
    X(modf, "w1=8")                                                                      \
    X(time, "w0=8")                                                                      \
    X(gettimeofday, "w0=16")                                                             \
    X(clock_gettime, "w1=16")                                                            \
    X(clock_getres, "w1=16")                                                             \
    X(nanosleep, "r0=16 w1=16")                                                          \
    X(clock_nanosleep, "r2=16 w3=16")                                                    \
    X(localtime, "r0=8 wR=56")                                                           \
    X(gmtime, "r0=8 wR=56")                                                              \
    X(ctime, "r0=8 wR=s")                                                                \
    X(asctime, "r0=56 wR=s")                                                             \
    X(localtime_r, "r0=8 w1=56")                                                         \
    X(gmtime_r, "r0=8 w1=56")                                                            \
    X(ctime_r, "r0=8 W1=s")                                                              \
    X(asctime_r, "r0=56 W1=s")                                                           \
    X(mktime, "r0=56 w0=56")                                                             \
    X(timegm, "r0=56 w0=56")                                                             \
    X(timelocal, "r0=56 w0=56")                                                          \
    X(timespec_get, "w0=16")                                                             \
    X(strptime, "r0=s r1=s W2=56")                                                       \
    X(clock_settime, "r1=16")                                                            \
    X(strftime, "r2=s r3=56 w0=R")                                                       \
    X(getentropy, "w0=a1")                                                               \
    X(getrusage, "Z1=144")                                                               \
    X(getrlimit, "Z1=16")                                                                \
    X(getrlimit64, "Z1=16")                                                              \
    X(setrlimit, "r1=16")                                                                \
    X(uname, "w0=390")                                                                   \
    X(times, "w0=32")                                                                    \
    X(getitimer, "w1=32")                                                                \
    X(setitimer, ">s r1=32 w2=32")                                                       \
    X(alarm, ">s")                                                                       \
    X(timer_settime, ">s r2=32 w3=32")                                                   \
    X(timer_gettime, "w1=32")                                                            \
    X(inet_pton, "r1=s w2=R*4")                                                          \
    X(inet_ntop, "r1=4 W2=s")                                                            \
    X(inet_aton, "r0=s w1=R*4")                                                          \
    X(getnameinfo, "r0=a1 Z2=s Z4=s")                                                    \
    X(getaddrinfo, "r0=s r1=s Z3=8")                                                     \
    X(gethostbyname, "r0=s WR=32")                                                       \
    X(gethostbyaddr, "r0=a1 WR=32")                                                      \
    X(getservbyname, "r0=s r1=s WR=32")                                                  \
    X(getservbyport, "r1=s WR=32")                                                       \
    X(getprotobyname, "r0=s WR=24")                                                      \
    X(if_nametoindex, "r0=s")                                                            \
    X(if_indextoname, "W1=s")                                                            \
    X(getifaddrs, "Z0=8")                                                                \
    X(sysinfo, "Z0=112")                                                                 \
    X(getgroups, "w1=R*4")                                                               \
    X(getresuid, "w0=4 w1=4 w2=4")                                                       \
    X(getresgid, "w0=4 w1=4 w2=4")                                                       \
    X(tcgetattr, "Z1=60")                                                                \
    X(tcsetattr, "r2=60")                                                                \
    X(backtrace, "w0=R*8")                                                               \
    X(backtrace_symbols, "r0=a1*8")                                                      \
    X(backtrace_symbols_fd, ">2 r0=a1*8")                                                \
    X(ttyname_r, "Z1=s")                                                                 \
    X(getlogin_r, "Z0=s")                                                                \
    X(getloadavg, "w0=R*8")                                                              \
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
    X(__vprintf_chk, ">o v1")                                                            \
    X(__vfprintf_chk, ">F0 v2")                                                          \
    X(__vsprintf_chk, "v3 w0=R+")                                                        \
    X(__asprintf_chk, "p2 w0=8")                                                         \
    X(__vasprintf_chk, "v2 w0=8")                                                        \
    X(__dprintf_chk, ">0 p2")                                                            \
    X(vdprintf, ">0 v1")                                                                 \
    X(__vdprintf_chk, ">0 v2")                                                           \
    X(error, "p2")                                                                       \
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
    X(putc_unlocked, ">F1")                                                              \
    X(fputc_unlocked, ">F1")                                                             \
    X(putchar_unlocked, ">o")                                                            \
    X(fputs_unlocked, ">F1 r0=s")                                                        \
    X(fwrite_unlocked, ">F3 r0=a1*a2")                                                   \
    X(getc_unlocked, "<F0")                                                              \
    X(fgetc_unlocked, "<F0")                                                             \
    X(getchar_unlocked, "<i")                                                            \
    X(fgets_unlocked, "<F2 W0=s")                                                        \
    X(fread_unlocked, "<F3 w0=R*a1")                                                     \
    X(__fgets_chk, "<F3 W0=s")                                                           \
    X(__fgets_unlocked_chk, "<F3 W0=s")                                                  \
    X(__fread_chk, "<F4 w0=R*a2")                                                        \
    X(__fread_unlocked_chk, "<F4 w0=R*a2")                                               \
    X(__overflow, ">F0")                                                                 \
    X(__uflow, "<F0")                                                                    \
    X(fputws, ">F1 r0=l")                                                                \
    X(fputwc, ">F1")                                                                     \
    X(putwc, ">F1")                                                                      \
    X(fgetwc, "<F0")                                                                     \
    X(getwc, "<F0")                                                                      \
    X(fgetpos, "w1=16")                                                                  \
    X(fsetpos, "r1=16")                                                                  \
    X(getline, "<F2 r0=8 w0=8 w1=8")                                                     \
    X(getdelim, "<F3 r0=8 w0=8 w1=8")                                                    \
    X(__getdelim, "<F3 r0=8 w0=8 w1=8")                                                  \
    X(scanf, "<i c0")                                                                    \
    X(fscanf, "<F0 c1")                                                                  \
    X(sscanf, "r0=s c1")                                                                 \
    X(__isoc99_scanf, "<i c0")                                                           \
    X(__isoc99_fscanf, "<F0 c1")                                                         \
    X(__isoc99_sscanf, "r0=s c1")                                                        \
    X(__isoc23_scanf, "<i c0")                                                           \
    X(__isoc23_fscanf, "<F0 c1")                                                         \
    X(__isoc23_sscanf, "r0=s c1")                                                        \
    X(fopen, "r0=s r1=s Nm1 OFR")                                                        \
    X(fopen64, "r0=s r1=s Nm1 OFR")                                                      \
    X(fdopen, "r1=s")                                                                    \
    X(freopen, "r0=s r1=s Nm1")                                                          \
    X(fclose, ">F0 XF0")                                                                 \
    X(fflush, "")                                                                        \
    X(perror, "r0=s")

#define FORE_C_LIBC_FILES(X)                                                             \
    X(read, "<0 w1=R")                                                                   \
    X(__read_chk, "<0 w1=R")                                                             \
    X(pread, "<0 w1=R")                                                                  \
    X(pread64, "<0 w1=R")                                                                \
    X(__pread_chk, "<0 w1=R")                                                            \
    X(__pread64_chk, "<0 w1=R")                                                          \
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
    X(__recvfrom_chk, "<0 w1=R")                                                         \
    X(recvmsg, "<0 w1=h")                                                                \
    X(recvmmsg, "<0")                                                                    \
    X(send, ">0 r1=a2")                                                                  \
    X(sendto, ">0 r1=a2")                                                                \
    X(sendmsg, ">0 r1=h")                                                                \
    X(sendmmsg, ">0")                                                                    \
    X(sendfile, "<1 >0")                                                                 \
    X(sendfile64, "<1 >0")                                                               \
    X(splice, "<0 >2")                                                                   \
    X(tee, "<0 >1")                                                                      \
    X(copy_file_range, "<0 >2")                                                          \
    X(pipe, "Z0=8 O0")                                                                   \
    X(pipe2, "Z0=8 O0")                                                                  \
    X(socketpair, "Z3=8 O3")                                                             \
    X(accept, "<0 OR")                                                                   \
    X(accept4, "<0 OR")                                                                  \
    X(connect, ">0 <0")                                                                  \
    X(shutdown, ">0")                                                                    \
    X(close, ">0 X0")                                                                    \
    X(truncate, "r0=s")                                                                  \
    X(ftruncate, ">0")                                                                   \
    X(fallocate, ">0")                                                                   \
    X(open, "r0=s No1 OR")                                                               \
    X(open64, "r0=s No1 OR")                                                             \
    X(openat, "r1=s No2 OR")                                                             \
    X(openat64, "r1=s No2 OR")                                                           \
    X(__open_2, "r0=s No1 OR")                                                           \
    X(__open64_2, "r0=s No1 OR")                                                         \
    X(__openat_2, "r1=s No2 OR")                                                         \
    X(__openat64_2, "r1=s No2 OR")                                                       \
    X(socket, "OR")                                                                      \
    X(eventfd, "OR")                                                                     \
    X(epoll_create, "OR")                                                                \
    X(epoll_create1, "OR")                                                               \
    X(timerfd_create, "OR")                                                              \
    X(signalfd, "OR")                                                                    \
    X(inotify_init, "OR")                                                                \
    X(inotify_init1, "OR")                                                               \
    X(inotify_add_watch, "r1=s")                                                         \
    X(inotify_rm_watch, "")                                                              \
    X(memfd_create, "OR")                                                                \
    X(dup, "D0 OR")                                                                      \
    X(dup2, "X1 D0")                                                                     \
    X(dup3, "X1 D0")                                                                     \
    X(stat, "r0=s N< b1 Z1=144")                                                         \
    X(stat64, "r0=s N< b1 Z1=144")                                                       \
    X(lstat, "r0=s N< b1 Z1=144")                                                        \
    X(lstat64, "r0=s N< b1 Z1=144")                                                      \
    X(fstat, "B0 Z1=144")                                                                \
    X(fstat64, "B0 Z1=144")                                                              \
    X(fstatat, "r1=s N< b2 Z2=144")                                                      \
    X(fstatat64, "r1=s N< b2 Z2=144")                                                    \
    X(__xstat, "r1=s N< b2 Z2=144")                                                      \
    X(__fxstat, "B1 Z2=144")                                                             \
    X(mkstemp, "r0=s w0=s N= OR")                                                        \
    X(mkdtemp, "r0=s w0=s N=")                                                           \
    X(unlinkat, "r1=s N=")                                                               \
    X(mkdirat, "r1=s N=")                                                                \
    X(renameat, "r1=s r3=s N=")                                                          \
    X(mkfifo, "r0=s N=")                                                                 \
    X(opendir, "r0=s N<")                                                                \
    X(readdir, "w0=1 N<")                                                                \
    X(readdir64, "w0=1 N<")                                                              \
    X(chdir, "r0=s")                                                                     \
    X(chmod, "r0=s")                                                                     \
    X(chown, "r0=s")                                                                     \
    X(lchown, "r0=s")                                                                    \
    X(fchmodat, "r1=s")                                                                  \
    X(fchownat, "r1=s")                                                                  \
    X(faccessat, "r1=s N<")                                                              \
    X(utimensat, "r1=s r2=32")                                                           \
    X(futimens, "r1=32")                                                                 \
    X(statvfs, "r0=s Z1=112")                                                            \
    X(statvfs64, "r0=s Z1=112")                                                          \
    X(fstatvfs, "Z1=112")                                                                \
    X(fstatvfs64, "Z1=112")                                                              \
    X(statfs, "r0=s Z1=120")                                                             \
    X(fstatfs, "Z1=120")                                                                 \
    X(linkat, "r1=s r3=s N=")                                                            \
    X(symlinkat, "r0=s r2=s N=")                                                         \
    X(readlinkat, "r1=s w2=R")                                                           \
    X(__readlink_chk, "r0=s w1=R")                                                       \
    X(__realpath_chk, "r0=s W1=s")                                                       \
    X(__getcwd_chk, "W0=s")                                                              \
    X(__gethostname_chk, "w0=s")                                                         \
    X(ftok, "r0=s")                                                                      \
    X(getxattr, "r0=s r1=s w2=R")                                                        \
    X(setxattr, "r0=s r1=s r2=a3")                                                       \
    X(getsockopt, "Z3=*4 Z4=4")                                                          \
    X(setsockopt, "r3=a4")                                                               \
    X(getsockname, "Z1=*2 Z2=4")                                                         \
    X(getpeername, "Z1=*2 Z2=4")                                                         \
    X(bind, "r1=a2")                                                                     \
    X(ioctl, "Z2=c1")                                                                    \
    X(mmap, "m")                                                                         \
    X(mmap64, "m")                                                                       \
    X(shm_open, "! r0=s N=")                                                             \
    X(creat, "r0=s N= OR")                                                               \
    X(access, "r0=s N<")                                                                 \
    X(unlink, "r0=s N=")                                                                 \
    X(mkdir, "r0=s N=")                                                                  \
    X(rmdir, "r0=s N=")                                                                  \
    X(rename, "r0=s r1=s N=")                                                            \
    X(remove, "r0=s N=")                                                                 \
    X(link, "r0=s r1=s N=")                                                              \
    X(symlink, "r0=s r1=s N=")                                                           \
    X(readlink, "r0=s w1=R")                                                             \
    X(realpath, "r0=s W1=s")                                                             \
    X(getcwd, "W0=s")                                                                    \
    X(gethostname, "w0=s")

#define FORE_C_LIBC_ORDER(X)                                                             \
    X(eventfd_read, "<0 w1=8")                                                           \
    X(eventfd_write, ">0")                                                               \
    X(timerfd_settime, ">0 r2=32 w3=32")                                                 \
    X(epoll_ctl, ">0")                                                                   \
    X(epoll_wait, "<? w1=R*12")                                                          \
    X(epoll_pwait, "<? w1=R*12")                                                         \
    X(poll, "q0 <?p0")                                                                   \
    X(ppoll, "q0 <?p0")                                                                  \
    X(__poll_chk, "q0 <?p0")                                                             \
    X(__ppoll_chk, "q0 <?p0")                                                            \
    X(select, "r1=f0 r2=f0 r3=f0 <?j0 w1=f0 w2=f0 w3=f0")                                \
    X(pselect, "r1=f0 r2=f0 r3=f0 <?j0 w1=f0 w2=f0 w3=f0")                               \
    X(flock, ">0 <0")                                                                    \
    X(lockf, ">0 <0")                                                                    \
    X(fcntl, "L0")                                                                       \
    X(fcntl64, "L0")                                                                     \
    X(mq_send, ">0 r1=a2")                                                               \
    X(mq_open, "r0=s N= OR")                                                             \
    X(mq_unlink, "r0=s N=")                                                              \
    X(mq_timedsend, ">0 r1=a2")                                                          \
    X(mq_receive, "<0 w1=R")                                                             \
    X(mq_timedreceive, "<0 w1=R")                                                        \
    X(msgsnd, ">k0 r1=a2+8")                                                             \
    X(msgrcv, "<k0 w1=R+8")                                                              \
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
    X(sigwaitinfo, "<s w1=128")                                                          \
    X(sigaction, "Z2=152")                                                               \
    X(pthread_sigmask, "r1=8 w2=8")                                                      \
    X(sigprocmask, "r1=8 w2=8")                                                          \
    X(sigemptyset, "w0=8")                                                               \
    X(sigfillset, "w0=8")                                                                \
    X(sigaddset, "r0=8 w0=8")                                                            \
    X(sigdelset, "r0=8 w0=8")                                                            \
    X(sigismember, "r0=8")                                                               \
    X(sigpending, "w0=8")                                                                \
    X(sigtimedwait, "<s w1=128")                                                         \
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
    X(waitid, "<c w2=128")                                                               \
    X(pthread_join, "Z1=8")                                                              \
    X(pthread_timedjoin_np, "Z1=8")                                                      \
    X(thrd_join, "Z1=4")                                                                 \
    X(sem_getvalue, "w1=4")                                                              \
    X(mq_getattr, "w1=64")                                                               \
    X(pthread_getname_np, "w1=s")                                                        \
    X(pthread_setname_np, "r1=s")                                                        \
    X(mq_notify, ">s")                                                                   \
    X(aio_read, ">s")                                                                    \
    X(aio_write, ">s")                                                                   \
    X(drand48, "wD=8")                                                                   \
    X(lrand48, "wD=8")                                                                   \
    X(mrand48, "wD=8")                                                                   \
    X(srand48, "wD=8")                                                                   \
    X(seed48, "r0=6 wD=8 wR=6")                                                          \
    X(lcong48, "r0=14 wD=8")                                                             \
    X(hcreate, "wH=8")                                                                   \
    X(hdestroy, "wH=8")                                                                  \
    X(hsearch, "wH=8")                                                                   \
    X(getenv, "rE=8 r0=s")                                                               \
    X(secure_getenv, "rE=8 r0=s")                                                        \
    X(setenv, "wE=8 r0=s r1=s")                                                          \
    X(unsetenv, "wE=8 r0=s")                                                             \
    X(putenv, "wE=8 r0=s")                                                               \
    X(clearenv, "wE=8")

/* Strings and streams of C++, which the library compiled once for all programs: what says how long a
 * string is, and where, is its first 16 bytes. */
#define FORE_C_LIBC_CXX(X)                                                               \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm,              \
      "w0=16 r1=a2")                                                                     \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_assignERKS4_,             \
      "w0=16 r1=16")                                                                     \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE10_M_replaceEmmPKcm,          \
      "w0=16 r3=a4")                                                                     \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE14_M_replace_auxEmmmc,        \
      "w0=16")                                                                           \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_mutateEmmPKcm, "w0=16")   \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8_M_eraseEmm, "w0=16")        \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKc, "w0=16 r1=s")    \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendEPKcm, "w0=16 r1=a2")  \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6appendERKS4_, "w0=16 r1=16") \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKc, "w0=16 r1=s")    \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignEPKcm, "w0=16 r1=a2")  \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6assignERKS4_, "w0=16 r1=16") \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9push_backEc, "w0=16")        \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE8pop_backEv, "w0=16")         \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEm, "w0=16")           \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6resizeEmc, "w0=16")          \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4swapERS4_, "w0=16 w1=16")    \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5eraseEmm, "w0=16")           \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6insertEmPKc, "w0=16 r2=s")   \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7replaceEmmPKcm,              \
      "w0=16 r3=a4")                                                                     \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSERKS4_, "w0=16 r1=16")      \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEPKc, "w0=16 r1=s")         \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEOS4_, "w0=16 w1=16")       \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEaSEc, "w0=16")                \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLERKS4_, "w0=16 r1=16")      \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEPKc, "w0=16 r1=s")         \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEpLEc, "w0=16")                \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE5clearEv, "w0=16")            \
    X(_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC1ERKS4_, "r1=16")            \
    X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareEPKc, "r0=16 r1=s")  \
    X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE7compareERKS4_,              \
      "r0=16 r1=16")                                                                     \
    X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findEPKcmm, "r0=16")        \
    X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE4findERKS4_m, "r0=16 r1=16") \
    X(_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE6substrEmm, "r1=16")         \
    X(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv, "!")                    \
    X(_ZSt29_Rb_tree_insert_and_rebalancebPSt18_Rb_tree_node_baseS0_RS_,                 \
      "w1=32 w2=32 w3=32")                                                               \
    X(_ZSt28_Rb_tree_rebalance_for_erasePSt18_Rb_tree_node_baseRS_, "w0=32 w1=32")       \
    X(_ZSt18_Rb_tree_incrementPSt18_Rb_tree_node_base, "r0=32")                          \
    X(_ZSt18_Rb_tree_incrementPKSt18_Rb_tree_node_base, "r0=32")                         \
    X(_ZSt18_Rb_tree_decrementPSt18_Rb_tree_node_base, "r0=32")                          \
    X(_ZSt18_Rb_tree_decrementPKSt18_Rb_tree_node_base, "r0=32")                         \
    X(_ZNSt8__detail15_List_node_base7_M_hookEPS0_, "w0=16 w1=16")                       \
    X(_ZNSt8__detail15_List_node_base9_M_unhookEv, "r0=16")                              \
    X(_ZNSt8__detail15_List_node_base11_M_transferEPS0_S1_, "w0=16 w1=16")               \
    X(_ZNSt8__detail15_List_node_base4swapERS0_S1_, "w0=16 w1=16")                       \
    X(_ZNSolsEi, "u0")                                                                   \
    X(_ZNSolsEl, "u0")                                                                   \
    X(_ZNSolsEj, "u0")                                                                   \
    X(_ZNSolsEm, "u0")                                                                   \
    X(_ZNSolsEd, "u0")                                                                   \
    X(_ZNSolsEf, "u0")                                                                   \
    X(_ZNSolsEb, "u0")                                                                   \
    X(_ZNSolsEt, "u0")                                                                   \
    X(_ZNSolsEs, "u0")                                                                   \
    X(_ZNSolsEx, "u0")                                                                   \
    X(_ZNSolsEy, "u0")                                                                   \
    X(_ZNSolsEPKv, "u0")                                                                 \
    X(_ZNSo3putEc, "u0")                                                                 \
    X(_ZNSo5writeEPKcl, "u0 r1=a2")                                                      \
    X(_ZNSo9_M_insertIlEERSoT_, "u0")                                                    \
    X(_ZNSo9_M_insertImEERSoT_, "u0")                                                    \
    X(_ZNSo9_M_insertIdEERSoT_, "u0")                                                    \
    X(_ZNSo9_M_insertIbEERSoT_, "u0")                                                    \
    X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc, "u0 r1=s")                \
    X(_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c, "u0")                       \
    X(_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l,     \
      "u0 r1=a2")

#endif
