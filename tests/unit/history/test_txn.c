#include "../check.h"

#include "../../txn_text.h"
#include "foresee/txn.h"
#include "history/txn/levels.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, TXNS = 500 };

struct checked {
    struct fore_txns h;
    struct fore_txn_index x;
    struct fore_txn_guess g;
    struct fore_txn_decision d;
};

static void judge(struct checked *c, enum fore_txn_level level)
{
    struct fore_err e = {0};
    assert_int_equal(fore_txn_index_make(&c->x, &c->h, NULL, &e), FORE_OK);
    fore_txn_guess_init(&c->g, &c->x);
    fore_txn_judge(&c->g, level, NULL, &c->d);
}

static void release(struct checked *c)
{
    fore_txn_decision_release(&c->d);
    fore_txn_guess_release(&c->g);
    fore_txn_index_release(&c->x);
    fore_txns_release(&c->h);
}

static enum fore_txn_answer answer_to(const char *text, enum fore_txn_level level)
{
    struct checked c;
    struct fore_err e = {0};
    assert_int_equal(read_txns_text(&c.h, "test", text, strlen(text), &e), FORE_OK);
    judge(&c, level);
    enum fore_txn_answer a = c.d.answer;
    release(&c);
    return a;
}

/* A database that runs one transaction at a time. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t list[THREADS * TXNS], length, value;

static void *run_transactions(void *log)
{
    for (int i = 0; i < TXNS; i++) {
        foresee_txn *t = foresee_txn_begin(log);
        pthread_mutex_lock(&lock);
        if (value)
            foresee_txn_read_int(t, "x", value);
        else
            foresee_txn_read_nil(t, "x");
        foresee_txn_write(t, "x", ++value);
        foresee_txn_read_list(t, "a \"list\"", list, (size_t)length);
        if (i % 10 == 0) {
            pthread_mutex_unlock(&lock);
            foresee_txn_abort(t);
            continue;
        }
        foresee_txn_append(t, "a \"list\"", value);
        list[length++] = value;
        pthread_mutex_unlock(&lock);
        foresee_txn_commit(t);
    }
    return NULL;
}

static void what_threads_record_is_read_back(void)
{
    char path[] = "/tmp/foresee-txn-XXXXXX";
    pthread_t threads[THREADS];
    struct checked c;
    struct fore_err e = {0};
    close(mkstemp(path));
    foresee_txns *log = foresee_txns_open(path);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_transactions, log), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    foresee_txn_unknown(foresee_txn_begin(log));
    assert_int_equal(foresee_txns_close(log), 0);
    assert_int_equal(fore_txns_load(&c.h, path, NULL, NULL, &e), FORE_OK);
    assert_int_equal(c.h.list.n, THREADS * TXNS + 1);
    assert_int_equal(c.h.aborted, THREADS * TXNS / 10);
    assert_int_equal(c.h.unknown, 1);
    assert_int_equal(c.h.keys.n, 2);
    judge(&c, FORE_TXN_STRICT);
    /* What the aborted ones wrote to x was read: the test's own database undoes nothing. */
    assert_int_equal(c.d.answer, FORE_TXN_VIOLATED);
    assert_true(c.x.odd[FORE_ANOMALY_G1A].count > 0);
    assert_int_equal(c.x.odd[FORE_ANOMALY_GARBAGE].count, 0);
    release(&c);
    unlink(path);
}

static void a_prepared_transaction_may_have_committed(void)
{
    char path[] = "/tmp/foresee-txn-XXXXXX";
    struct checked c;
    struct fore_err e = {0};
    close(mkstemp(path));
    foresee_txns *log = foresee_txns_open(path);
    foresee_txn *t = foresee_txn_begin(log);
    foresee_txn_write(t, "x", 1);
    foresee_txn_prepare(t);
    foresee_txn *reader = foresee_txn_begin(log);
    foresee_txn_read_int(reader, "x", 1);
    foresee_txn_commit(reader);
    assert_int_equal(fore_txns_load(&c.h, path, NULL, NULL, &e), FORE_OK);
    foresee_txn_abort(t); /* only now, after what a crash would have left was read */
    foresee_txns_close(log);
    assert_int_equal(c.h.list.n, 2);
    judge(&c, FORE_TXN_STRICT);
    assert_int_equal(c.d.answer, FORE_TXN_HOLDS);
    assert_int_equal(c.x.excused, 0);
    release(&c);
    foresee_txn_abort(NULL);
    unlink(path);
}

static void values_of_silent_transactions_are_excused(void)
{
    struct checked c;
    struct fore_err e = {0};
    const char *text = "{\"process\":1,\"id\":0,\"type\":\"invoke\",\"f\":\"txn\","
                       "\"value\":null}\n"
                       "{\"process\":2,\"type\":\"ok\",\"f\":\"txn\","
                       "\"value\":[[\"r\",\"x\",7]]}\n";
    assert_int_equal(read_txns_text(&c.h, "test", text, strlen(text), &e), FORE_OK);
    judge(&c, FORE_TXN_SERIALIZABLE);
    assert_int_equal(c.d.answer, FORE_TXN_HOLDS);
    assert_int_equal(c.x.excused, 1);
    release(&c);
}

static void a_record_may_be_longer_than_what_is_read_at_once(void)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    struct fore_txns h;
    struct fore_err e = {0};
    for (int i = 0; i < 60000; i++)
        fore_strbuf_printf(
            &b, "{:type :ok :process %d :value [[:append x %d]] :f :txn}\n", i % 7, i);
    fore_strbuf_puts(&b, "{:type :ok :process 8 :f :txn :value [[:r x [");
    for (int i = 0; i < 60000; i++)
        fore_strbuf_printf(&b, "%d ", i);
    fore_strbuf_puts(&b, "]]]}");
    assert_int_equal(read_txns_text(&h, "test", b.at, b.n, &e), FORE_OK);
    assert_int_equal(h.list.n, 60001);
    assert_int_equal(h.keys.at[0].longest.n, 60000);
    fore_txns_release(&h);
    fore_strbuf_puts(&b, "\n{:type :ok :process 8 :f :txn :value [[:r x [0 oops}]]}");
    assert_int_equal(read_txns_text(&h, "test", b.at, b.n, &e), FORE_SYNTAX);
    assert_int_equal(e.line, 60002);
    fore_strbuf_release(&b);
}

/* Fewer choices than the order of writes leaves must be searched, not guessed. */
static void a_long_history_without_times_is_decided(void)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    for (int i = 0; i < 60; i++) /* written backwards, so that every guess is wrong */
        fore_strbuf_printf(
            &b,
            "{:type :ok :process %d :f :txn :value [[:r y %d] [:w x %d] "
            "[:w y %d]]}\n"
            "{:type :ok :process 99 :f :txn :value [[:r x %d] [:r y %d]]}\n",
            i, 60 - i, 61 - i, 61 - i, 61 - i, 61 - i);
    fore_strbuf_puts(&b, "{:type :ok :process 98 :f :txn :value [[:w y 1]]}\n");
    assert_int_equal(answer_to(b.at, FORE_TXN_SERIALIZABLE), FORE_TXN_HOLDS);
    assert_int_equal(answer_to(b.at, FORE_TXN_STRICT), FORE_TXN_HOLDS);
    fore_strbuf_puts(&b,
                     "{:type :ok :process 97 :f :txn :value [[:r x 30] [:r y 31]]}\n");
    assert_int_equal(answer_to(b.at, FORE_TXN_SERIALIZABLE), FORE_TXN_VIOLATED);
    assert_int_equal(answer_to(b.at, FORE_TXN_READ_COMMITTED), FORE_TXN_HOLDS);
    fore_strbuf_release(&b);
}

RUN_CASES(CASE(what_threads_record_is_read_back),
          CASE(a_prepared_transaction_may_have_committed),
          CASE(values_of_silent_transactions_are_excused),
          CASE(a_record_may_be_longer_than_what_is_read_at_once),
          CASE(a_long_history_without_times_is_decided))
