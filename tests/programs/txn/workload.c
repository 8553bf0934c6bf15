#include "workload.h"

#include "foresee/txn.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYS = 4, PER_GENERATION = 25, MAX_STEPS = 4, MAX_ITEMS = 4096 };

struct client {
    const struct database *db;
    void *connection;
    foresee_txns *log;
    const char *mode;
    bool lists;
    unsigned number, seed;
    int64_t fresh;
    char answer[1 << 16];
};

static const char schema[] = "CREATE TABLE IF NOT EXISTS lists"
                             " (k integer PRIMARY KEY, v text);"
                             "CREATE TABLE IF NOT EXISTS registers"
                             " (k integer PRIMARY KEY, v bigint)";

static enum outcome run_sql(struct client *c, const char *sql)
{
    return c->db->run(c->connection, sql, c->answer, sizeof c->answer);
}

static enum outcome begin(struct client *c)
{
    char sql[128];
    if (c->db->begin)
        return run_sql(c, c->db->begin);
    c->db->begin_text(c->mode, sql, sizeof sql);
    return run_sql(c, sql);
}

static void record_list(foresee_txn *t, const char *key, char *text)
{
    int64_t items[MAX_ITEMS];
    size_t n = 0;
    for (char *at = text, *end; *at && n < MAX_ITEMS; at = end)
        items[n++] = strtoll(at, &end, 10);
    foresee_txn_read_list(t, key, items, n);
}

static enum outcome read_key(struct client *c, foresee_txn *t, unsigned key)
{
    char sql[128], name[32];
    snprintf(sql, sizeof sql, "SELECT v FROM %s WHERE k = %u",
             c->lists ? "lists" : "registers", key);
    snprintf(name, sizeof name, "%u", key);
    enum outcome o = run_sql(c, sql);
    if (o != DONE)
        return o;
    if (c->lists)
        record_list(t, name, c->answer);
    else if (*c->answer)
        foresee_txn_read_int(t, name, strtoll(c->answer, NULL, 10));
    else
        foresee_txn_read_nil(t, name);
    return DONE;
}

static enum outcome write_key(struct client *c, foresee_txn *t, unsigned key)
{
    char sql[256], name[32];
    int64_t value = c->fresh++;
    snprintf(name, sizeof name, "%u", key);
    if (c->lists) {
        snprintf(sql, sizeof sql,
                 "INSERT INTO lists VALUES (%u, '%lld') ON CONFLICT (k) DO UPDATE"
                 " SET v = lists.v || ' ' || excluded.v",
                 key, (long long)value);
        foresee_txn_append(t, name, value);
    } else {
        snprintf(sql, sizeof sql,
                 "INSERT INTO registers VALUES (%u, %lld) ON CONFLICT (k) DO UPDATE"
                 " SET v = excluded.v",
                 key, (long long)value);
        foresee_txn_write(t, name, value);
    }
    return run_sql(c, sql);
}

static enum outcome finish(struct client *c, foresee_txn *t, enum outcome o)
{
    if (o == DONE) {
        foresee_txn_prepare(t);
        o = run_sql(c, "COMMIT");
    }
    if (o == DONE) {
        foresee_txn_commit(t);
        return DONE;
    }
    enum outcome undone = run_sql(c, "ROLLBACK");
    if (o == ABORTED && undone != BROKEN)
        foresee_txn_abort(t);
    else
        foresee_txn_unknown(t);
    return o;
}

/* Keys are few and change with time, so that clients meet and lists stay short. */
static enum outcome run_one(struct client *c, unsigned i)
{
    foresee_txn *t = foresee_txn_begin(c->log);
    unsigned steps = 1 + (unsigned)rand_r(&c->seed) % MAX_STEPS;
    enum outcome o = begin(c);
    for (unsigned k = 0; k < steps && o == DONE; k++) {
        unsigned key = i / PER_GENERATION * KEYS + (unsigned)rand_r(&c->seed) % KEYS;
        o = rand_r(&c->seed) % 2 ? read_key(c, t, key) : write_key(c, t, key);
    }
    return finish(c, t, o);
}

static bool client_open(struct client *c, const struct database *db, char **argv,
                        unsigned number)
{
    *c = (struct client){.db = db, .mode = argv[2], .number = number, .seed = number + 7};
    c->lists = strcmp(argv[3], "append") == 0;
    c->fresh = (int64_t)number * 1000000 + 1;
    c->log = foresee_txns_open(argv[6]);
    c->connection = c->log ? db->open(argv[1], argv[2]) : NULL;
    if (!c->log)
        fprintf(stderr, "%s: %s\n", argv[6], strerror(errno));
    return c->connection;
}

static int client_close(struct client *c)
{
    c->db->close(c->connection);
    return foresee_txns_close(c->log);
}

static int run_client(const struct database *db, char **argv, unsigned number)
{
    struct client c;
    unsigned committed = 0, n = (unsigned)atoi(argv[5]);
    if (!client_open(&c, db, argv, number))
        return 1;
    for (unsigned i = 0; i < n; i++) {
        enum outcome o = run_one(&c, i);
        if (o == BROKEN)
            return 1;
        committed += o == DONE;
    }
    /* What was written last is read, too. */
    foresee_txn *t = foresee_txn_begin(c.log);
    enum outcome o = begin(&c);
    for (unsigned k = 0; k < KEYS && o == DONE; k++)
        o = read_key(&c, t, (n - 1) / PER_GENERATION * KEYS + k);
    finish(&c, t, o);
    if (client_close(&c))
        return 1;
    return committed < n / 10; /* if nearly all are aborted, nothing is tested */
}

static int run_clients(const struct database *db, char **argv)
{
    int clients = atoi(argv[4]), bad = 0, status;
    for (int i = 0; i < clients; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(run_client(db, argv, (unsigned)i + 1));
        bad += child < 0;
    }
    while (wait(&status) > 0)
        bad += !WIFEXITED(status) || WEXITSTATUS(status);
    return bad;
}

/* Two transactions at once.
 * skew: each reads both keys and writes one of them. Neither sees the other.
 * lost: both read a key, then both write it. One of the two writes is lost. */
static int run_pair(const struct database *db, char **argv)
{
    struct client c[2];
    foresee_txn *t[2];
    enum outcome o[2];
    bool skew = strcmp(argv[3], "skew") == 0;
    for (unsigned i = 0; i < 2; i++)
        if (!client_open(&c[i], db, argv, i + 1))
            return 1;
    for (unsigned i = 0; i < 2; i++) {
        t[i] = foresee_txn_begin(c[i].log);
        o[i] = begin(&c[i]);
        for (unsigned k = 0; k < 1u + skew && o[i] == DONE; k++)
            o[i] = read_key(&c[i], t[i], k);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (o[i] == DONE)
            o[i] = write_key(&c[i], t[i], skew ? i : 0);
        if (!skew) /* the second would wait for the first */
            o[i] = finish(&c[i], t[i], o[i]);
    }
    for (unsigned i = 0; i < 2 && skew; i++)
        o[i] = finish(&c[i], t[i], o[i]);
    return client_close(&c[0]) | client_close(&c[1]) | (o[0] == BROKEN) | (o[1] == BROKEN);
}

int workload_main(const struct database *db, int argc, char **argv)
{
    if (argc != 7) {
        fprintf(stderr, "usage: %s WHERE MODE append|register|skew|lost CLIENTS "
                        "TRANSACTIONS HISTORY\n",
                argv[0]);
        return 2;
    }
    struct client c;
    if (!client_open(&c, db, argv, 0))
        return 1;
    bool made = run_sql(&c, schema) == DONE &&
                run_sql(&c, "DELETE FROM lists; DELETE FROM registers") == DONE;
    int bad = client_close(&c) || !made;
    if (!bad)
        bad = strcmp(argv[3], "skew") == 0 || strcmp(argv[3], "lost") == 0
                  ? run_pair(db, argv)
                  : run_clients(db, argv);
    return bad != 0;
}
