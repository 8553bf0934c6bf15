/* PostgreSQL through libpq. WHERE is the folder of its socket, MODE the level of isolation as
 * SQL has it: "read committed", "repeatable read", "serializable". */
#include "workload.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <string.h>

/* Serialization failures and deadlocks abort a transaction; whatever else is a mistake. */
static enum outcome outcome_of(const PGresult *r)
{
    const char *state = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    ExecStatusType status = PQresultStatus(r);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        return DONE;
    if (state && strncmp(state, "40", 2) == 0)
        return ABORTED;
    fprintf(stderr, "postgres: %s", PQresultErrorMessage(r));
    return BROKEN;
}

static enum outcome run(void *connection, const char *sql, char *answer, size_t room)
{
    PGresult *r = PQexec(connection, sql);
    enum outcome o = outcome_of(r);
    *answer = '\0';
    if (PQntuples(r) > 0)
        snprintf(answer, room, "%s", PQgetvalue(r, 0, 0));
    PQclear(r);
    return o;
}

static void ignore_notice(void *arg, const char *message)
{
    (void)arg;
    (void)message;
}

static void *open_server(const char *where, const char *mode)
{
    char info[512];
    (void)mode;
    snprintf(info, sizeof info, "host=%s user=foresee dbname=postgres connect_timeout=10",
             where);
    PGconn *c = PQconnectdb(info);
    if (PQstatus(c) != CONNECTION_OK) {
        fprintf(stderr, "postgres: %s", PQerrorMessage(c));
        PQfinish(c);
        return NULL;
    }
    PQsetNoticeProcessor(c, ignore_notice, NULL);
    return c;
}

static void close_server(void *connection)
{
    PQfinish(connection);
}

static void begin_text(const char *mode, char *out, size_t n)
{
    snprintf(out, n, "BEGIN ISOLATION LEVEL %s", mode);
}

int main(int argc, char **argv)
{
    static const struct database db = {open_server, close_server, run, NULL, begin_text};
    return workload_main(&db, argc, argv);
}
