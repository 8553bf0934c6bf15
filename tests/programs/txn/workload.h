/* Random transactions against a real database, recorded with foresee/txn.h. A database is one
 * file that fills in this table. */
#ifndef TESTS_PROGRAMS_TXN_WORKLOAD_H
#define TESTS_PROGRAMS_TXN_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

/* What became of a statement: it worked, the transaction was aborted and may be tried again,
 * or something is wrong with the test. */
enum outcome { DONE, ABORTED, BROKEN };

struct database {
    /* Opens a connection of its own; NULL after saying why. */
    void *(*open)(const char *where, const char *mode);
    void (*close)(void *connection);
    /* Runs SQL. The first column of the first row goes to `answer`, "" if there is none. */
    enum outcome (*run)(void *connection, const char *sql, char *answer, size_t room);
    const char *begin;                                     /* SQL, if it takes no mode */
    void (*begin_text)(const char *mode, char *out, size_t n); /* else this writes it */
};

/* usage: PROGRAM WHERE MODE WORK CLIENTS TRANSACTIONS HISTORY
 * WORK is append or register (CLIENTS processes, each with so many transactions), or skew or
 * lost (two connections, always the same steps; see workload.c). */
int workload_main(const struct database *db, int argc, char **argv);

#endif
