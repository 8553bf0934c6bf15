/* SQLite: a file, and one connection in each process. MODE is the journal: wal or delete. */
#include "workload.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

static enum outcome run(void *connection, const char *sql, char *answer, size_t room)
{
    sqlite3 *db = connection;
    int status = SQLITE_OK;
    if (room)
        *answer = '\0';
    for (sqlite3_stmt *s; *sql && status == SQLITE_OK;) {
        status = sqlite3_prepare_v2(db, sql, -1, &s, &sql);
        if (status != SQLITE_OK)
            break;
        while ((status = sqlite3_step(s)) == SQLITE_ROW) {
            const unsigned char *text = sqlite3_column_text(s, 0);
            snprintf(answer, room, "%s", text ? (const char *)text : "");
        }
        status = sqlite3_finalize(s);
    }
    if (status == SQLITE_OK)
        return DONE;
    if ((status & 0xff) == SQLITE_BUSY || (status & 0xff) == SQLITE_LOCKED)
        return ABORTED;
    if (strcmp(sql, "ROLLBACK") == 0)
        return DONE; /* it had been rolled back already */
    fprintf(stderr, "sqlite: %s\n", sqlite3_errmsg(db));
    return BROKEN;
}

static void *open_file(const char *where, const char *mode)
{
    sqlite3 *db = NULL;
    char sql[64];
    if (sqlite3_open(where, &db) != SQLITE_OK) {
        fprintf(stderr, "sqlite: %s: %s\n", where, sqlite3_errmsg(db));
        sqlite3_close(db);
        return NULL;
    }
    sqlite3_busy_timeout(db, 200);
    snprintf(sql, sizeof sql, "PRAGMA journal_mode=%s; PRAGMA synchronous=OFF", mode);
    for (int tries = 0; tries < 50; tries++) {
        enum outcome o = run(db, sql, NULL, 0);
        if (o == DONE)
            return db;
        if (o == BROKEN)
            break;
    }
    sqlite3_close(db);
    return NULL;
}

static void close_file(void *connection)
{
    sqlite3_close(connection);
}

int main(int argc, char **argv)
{
    static const struct database db = {open_file, close_file, run, "BEGIN", NULL};
    return workload_main(&db, argc, argv);
}
