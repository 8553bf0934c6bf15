/* The clauses by which a strict machine and a claim hold the trace to what the program can do. Each
 * can be left out (fore_program.ablated): a test shows that none can be spared. */
#ifndef FORE_MACHINE_CLAUSE_H
#define FORE_MACHINE_CLAUSE_H

/* X(name, text for tests, why it makes a finding possible) */
#define FORE_CLAUSE_LIST(X)                                                              \
    X(NONE, "none", "")                                                                  \
    X(VALUE, "value", "gets another value than in the recorded run")                     \
    X(USE, "use", "uses a value that is not the recorded one")                           \
    X(UNKNOWN, "unknown", "reads what a thread wrote that knew something else")          \
    X(STRAIGHT, "straight", "may branch on memory that was not recorded")                \
    X(SECTION, "section",                                                                \
      "takes the lock after another section than in the recorded run; what it reads "    \
      "under it was not recorded")                                                       \
    X(ROOM, "room", "finds room by another receive than in the recorded run")            \
    X(MESSAGE, "message", "receives another message than in the recorded run")           \
    X(ATOMIC, "atomic", "reads another atomic write than in the recorded run")           \
    X(DONES, "dones", "waits for others than in the recorded run")                       \
    X(WOKEN, "woken", "is woken by another signal than in the recorded run")             \
    X(ONCE, "once", "comes after another run of the once")                               \
    X(UNITS, "units", "gets the semaphore after others than in the recorded run")        \
    X(ROUND, "round", "meets others at the barrier than in the recorded run")            \
    X(PASS, "pass", "comes after a thread that knew something else")                     \
    X(ORDER, "order", "reads from outside what comes in another order")                  \
    X(AHEAD, "ahead",                                                                    \
      "comes before what was recorded earlier; reads and writes were not recorded, and " \
      "may have decided")                                                                \
    X(RUNNING, "running",                                                                \
      "a thread still ran when the recording ended: it may end this wait")               \
    X(LEFT, "left",                                                                      \
      "a thread does something that was not recorded: it may end this wait")             \
    X(ALIVE, "alive", "another thread can still go on, and may end this wait")           \
    X(ATOMICS, "atomics", "atomic operations were not recorded, and may decide")         \
    X(OUTSIDE, "outside",                                                                \
      "what goes through files, pipes, sockets and signals was not recorded, and may "   \
      "order the two")                                                                   \
    X(UNSEEN, "unseen", "something was not seen")                                        \
    X(LOST, "lost", "events were lost, and may decide")                                  \
    X(NO_RUN, "no-run", "no run was found that shows it")

enum fore_clause {
#define X(name, text, why) FORE_CLAUSE_##name,
    FORE_CLAUSE_LIST(X)
#undef X
        FORE_CLAUSES
};

extern const char *const fore_clause_names[FORE_CLAUSES];

#endif
