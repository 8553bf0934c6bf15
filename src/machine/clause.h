/* The clauses by which a strict machine and a claim restrict the trace to what the program can
 * do. Each can be left out (fore_program.ablated), and a test shows that all are needed. */
#ifndef FORE_MACHINE_CLAUSE_H
#define FORE_MACHINE_CLAUSE_H

/* X(name, text for tests, why it makes a finding possible) */
#define FORE_CLAUSE_LIST(X)                                                              \
    X(NONE, "none", "")                                                                  \
    X(VALUE, "value", "gets another value than in the observed run")                     \
    X(OVERTAKEN, "overtaken",                                                            \
      "may have read other values on its way than in the observed run: of what it did "  \
      "with memory that no other thread used, only the last access was recorded")        \
    X(USE, "use", "uses a value that is not the one of the observed run")                \
    X(UNKNOWN, "unknown",                                                                \
      "reads a value of a thread that may have seen something else than in the "         \
      "observed run")                                                                    \
    X(STRAIGHT, "straight", "may branch on memory that was not recorded")                \
    X(SECTION, "section",                                                                \
      "takes the lock after another critical section than in the observed run")          \
    X(ROOM, "room",                                                                      \
      "finds room in the buffer after another receive than in the observed run")         \
    X(MESSAGE, "message", "receives another message than in the observed run")           \
    X(ATOMIC, "atomic", "reads another atomic write than in the observed run")           \
    X(DONES, "dones", "waits for other operations than in the observed run")             \
    X(WOKEN, "woken", "is woken by another signal than in the observed run")             \
    X(ONCE, "once", "comes after another run of the once than in the observed run")      \
    X(UNITS, "units",                                                                    \
      "gets the semaphore after other operations than in the observed run")              \
    X(ROUND, "round", "meets other threads at the barrier than in the observed run")     \
    X(PASS, "pass",                                                                      \
      "comes after a thread that may have seen something else than in the observed run") \
    X(ORDER, "order",                                                                    \
      "reads input that comes in another order than in the observed run")                \
    X(AHEAD, "ahead",                                                                    \
      "comes before an operation that it came after in the observed run")                \
    X(RUNNING, "running",                                                                \
      "a thread was still running when the recording ended: it may end "                 \
      "this wait")                                                                       \
    X(LEFT, "left",                                                                      \
      "a thread does something that was not recorded: it may end this wait")             \
    X(ALIVE, "alive", "another thread can still go on, and may end this wait")           \
    X(ATOMICS, "atomics", "atomic operations were not recorded, and may forbid this")    \
    X(OUTSIDE, "outside",                                                                \
      "files, pipes, sockets and signals were not recorded, and may order the two")      \
    X(BORN, "born",                                                                      \
      "foresee did not see what started one of the threads: it may have "                \
      "been started after the access that it seems to race with")                        \
    X(UNSEEN, "unseen", "something was not recorded")                                    \
    X(LOST, "lost", "events were lost, and may forbid this")                             \
    X(NO_RUN, "no-run", "no run was found that shows it")

enum fore_clause {
#define X(name, text, why) FORE_CLAUSE_##name,
    FORE_CLAUSE_LIST(X)
#undef X
        FORE_CLAUSES
};

extern const char *const fore_clause_names[FORE_CLAUSES];

#endif
