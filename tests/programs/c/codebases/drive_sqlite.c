/* Drives SQLite from several threads: all of them through one connection to a database in
 * memory, which SQLite has to protect, and each through its own connection to one file.
 *   drive_sqlite FILE [THREADS [ROWS]] */
#include "sqlite3-binding.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static sqlite3 *shared;
static const char *file;
static int rows = 50;

static void must(int status, sqlite3 *db, const char *what)
{
    if (status == SQLITE_OK || status == SQLITE_DONE || status == SQLITE_ROW)
        return;
    fprintf(stderr, "%s: %s\n", what, db ? sqlite3_errmsg(db) : "no database");
    exit(1);
}

static sqlite3 *open_db(const char *name)
{
    sqlite3 *db = NULL;
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX;
    must(sqlite3_open_v2(name, &db, flags, NULL), db, "open");
    sqlite3_busy_timeout(db, 60000);
    return db;
}

static void fill(sqlite3 *db, int who)
{
    sqlite3_stmt *insert;
    must(sqlite3_prepare_v2(db, "insert into t(who, n, text) values(?, ?, ?)", -1,
                            &insert, NULL),
         db, "prepare");
    for (int i = 0; i < rows; i++) {
        char text[64];
        snprintf(text, sizeof text, "row %d of %d", i, who);
        sqlite3_bind_int(insert, 1, who);
        sqlite3_bind_int(insert, 2, i);
        sqlite3_bind_text(insert, 3, text, -1, SQLITE_TRANSIENT);
        must(sqlite3_step(insert), db, "insert");
        must(sqlite3_reset(insert), db, "reset");
    }
    sqlite3_finalize(insert);
}

static long query(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *select;
    must(sqlite3_prepare_v2(db, sql, -1, &select, NULL), db, "prepare");
    must(sqlite3_step(select), db, "select");
    long value = (long)sqlite3_column_int64(select, 0);
    sqlite3_finalize(select);
    return value;
}

static void *works(void *number)
{
    int who = *(int *)number;
    fill(shared, who);
    query(shared, "select count(*) from t where text like '%1%'");
    sqlite3 *own = open_db(file);
    must(sqlite3_exec(own, "begin immediate", NULL, NULL, NULL), own, "begin");
    fill(own, who);
    must(sqlite3_exec(own, "commit", NULL, NULL, NULL), own, "commit");
    query(own, "select sum(n) from t");
    sqlite3_close(own);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    static const char make[] =
        "create table t(who int, n int, text); create index i on t(n)";
    pthread_t threads[MOST];
    int who[MOST], count = argc > 2 ? atoi(argv[2]) : 4;
    file = argc > 1 ? argv[1] : "drive.db";
    rows = argc > 3 ? atoi(argv[3]) : rows;
    if (count < 1 || count > MOST)
        return 2;
    shared = open_db(":memory:");
    must(sqlite3_exec(shared, make, NULL, NULL, NULL), shared, "create");
    sqlite3 *own = open_db(file);
    must(sqlite3_exec(own, make, NULL, NULL, NULL), own, "create");
    for (int i = 0; i < count; i++) {
        who[i] = i;
        pthread_create(&threads[i], NULL, works, &who[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    long in_memory = query(shared, "select count(*) from t");
    long in_file = query(own, "select count(*) from t");
    sqlite3_close(shared);
    sqlite3_close(own);
    printf("%ld rows in memory, %ld in the file\n", in_memory, in_file);
    return in_memory != (long)count * rows || in_file != (long)count * rows;
}
