#include "../check.h"

#include "base/strbuf.h"
#include "foresee/history.h"
#include "history/format.h"
#include "history/lin.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, CALLS = 2000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t counter;

static void *increment(void *history)
{
    for (int i = 0; i < CALLS; i++) {
        foresee_call *c = foresee_invoke(history, "inc", foresee_nothing());
        pthread_mutex_lock(&lock);
        int64_t now = ++counter;
        pthread_mutex_unlock(&lock);
        foresee_return(c, foresee_int(now));
    }
    return NULL;
}

static void calls_of_all_threads_are_recorded_in_real_time(void)
{
    char path[] = "/tmp/foresee-history-XXXXXX";
    pthread_t threads[THREADS];
    struct fore_history h;
    struct fore_lin_result r;
    struct fore_lin_options o = {.jobs = 1};
    struct fore_err e = {0};
    foresee_history *recorded = foresee_history_open("counter");
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, increment, recorded), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    foresee_invoke(recorded, "inc", foresee_nothing()); /* never returns */
    foresee_fail(foresee_invoke(recorded, "inc", foresee_nothing()));
    close(mkstemp(path));
    assert_int_equal(foresee_history_write(recorded, path), 0);
    foresee_history_close(recorded);
    assert_int_equal(fore_history_load(&h, path, fore_model_find("counter"), NULL, &e),
                     FORE_OK);
    assert_int_equal(h.ops.n, THREADS * CALLS + 1);
    assert_int_equal(fore_lin_check(&h, &o, &r, &e), FORE_OK);
    assert_int_equal(r.verdict, FORE_LIN_YES);
    fore_lin_result_release(&r);
    fore_history_release(&h);
    unlink(path);
}

static void arguments_and_results_are_recorded(void)
{
    char path[] = "/tmp/foresee-history-XXXXXX";
    struct fore_history h;
    struct fore_lin_result r;
    struct fore_lin_options o = {.jobs = 1};
    struct fore_err e = {0};
    foresee_history *recorded = foresee_history_open("register");
    foresee_return(foresee_invoke(recorded, "write", foresee_int(3)), foresee_nothing());
    foresee_return(foresee_invoke(recorded, "read", foresee_nothing()), foresee_int(4));
    close(mkstemp(path));
    assert_int_equal(foresee_history_write(recorded, path), 0);
    foresee_history_close(recorded);
    assert_int_equal(fore_history_load(&h, path, fore_model_find("register"), NULL, &e),
                     FORE_OK);
    assert_int_equal(fore_lin_check(&h, &o, &r, &e), FORE_OK);
    assert_int_equal(r.verdict, FORE_LIN_NO); /* it reads 4, and 3 was written */
    fore_lin_result_release(&r);
    fore_history_release(&h);
    unlink(path);
}

RUN_CASES(CASE(calls_of_all_threads_are_recorded_in_real_time),
          CASE(arguments_and_results_are_recorded))
