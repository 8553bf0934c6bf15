/* How the process of a trace ended. A wait at the end of a run means one thing if main returned,
 * and another if the process was killed. */
#ifndef FORE_TRACE_ENDED_H
#define FORE_TRACE_ENDED_H

/* X(name, text): numbers are part of the file formats. */
#define FORE_ENDED_LIST(X)                                                               \
    X(UNKNOWN, "")          /* not recorded; also of traces written by hand */           \
    X(RETURNED, "returned") /* main returned, or left by exit(); the tests were over */  \
    X(EXIT, "exit")         /* exit(), os.Exit(), log.Fatal(): anywhere but in main */   \
    X(SIGNAL, "signal")     /* it was killed */                                          \
    X(CRASH, "crash") /* by a signal that reports an error: SIGSEGV, SIGABRT ... */      \
    X(PANIC, "panic")                                                                    \
    X(DEADLOCK, "deadlock") /* its own runtime found that no thread could go on */

enum fore_ended {
#define X(name, text) FORE_ENDED_##name,
    FORE_ENDED_LIST(X)
#undef X
        FORE_ENDINGS
};

/* "returned" for FORE_ENDED_RETURNED. */
extern const char *const fore_ended_names[FORE_ENDINGS];

#endif
