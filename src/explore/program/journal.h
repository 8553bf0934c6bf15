/* Writes a guided search that was stopped to a file (foresee-search 1), and reads it to go on:
 * what was tried, which classes of runs came, what is left to try, and the runs that failed,
 * which are tried again. */
#ifndef FORE_EXPLORE_PROGRAM_JOURNAL_H
#define FORE_EXPLORE_PROGRAM_JOURNAL_H

#include "base/strbuf.h"
#include "explore/program/frontier.h"
#include "explore/program/search.h"

struct fore_journal {
    struct fore_search *search; /* its counts and failures are written, and read */
    struct fore_tries *tries;
    struct fore_map *classes; /* class -> whether something was found in it */
    uint64_t *started;        /* the number of the last run */
    bool *timed, *whole;
};

/* The caller adds runs that are going on with fore_journal_try, and ends the file with
 * fore_journal_close. */
void fore_journal_write(const struct fore_journal *j, struct fore_strbuf *out);
void fore_journal_try(const struct fore_try *t, struct fore_strbuf *out);
/* The file is replaced as a whole. */
enum fore_status fore_journal_close(struct fore_strbuf *text, const char *file,
                                    struct fore_err *e) FORE_MUST_USE;
/* Refuses what is damaged, or of another program or other options. The search's options are replaced by
 * the saved ones, which `kept` keeps: the clock shows the same time. */
enum fore_status fore_journal_read(struct fore_journal *j, const char *file,
                                   struct fore_strbuf *kept,
                                   struct fore_err *e) FORE_MUST_USE;

#endif
