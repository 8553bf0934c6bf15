/* Ways in which OpenMP orders threads, one row each (-DROW_NAME), correct; with -DBUG each has one mistake, a race unless
 * the row says otherwise. Where tasks or sections make the mistake, meet() sees to it that two threads have them: it waits for
 * a second one, with relaxed operations, which order nothing. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef BUG
#define RIGHT(...)
#define WRONG(...) __VA_ARGS__
#else
#define RIGHT(...) __VA_ARGS__
#define WRONG(...)
#endif
#define DO(...) _Pragma(#__VA_ARGS__)
enum { N = 64 };
static int a[N + 1], total, flag;
static double sum;

static inline void meet(void)
{
    static int here;
    int n = 0;
    DO(omp atomic)
    here++;
    for (int i = 0; i < 2000 && n < 2; i++) {
        usleep(1000);
        DO(omp atomic read)
        n = here;
    }
}

#ifdef ROW_teams /* what one team wrote the next one reads */
static void row(void)
{
    DO(omp parallel for)
    for (int i = 0; i < N; i++)
        a[i] = i;
    DO(omp parallel for)
    for (int i = 0; i < N; i++)
        a[RIGHT(i) WRONG(0)]++;
    total = a[5];
}
#endif
#ifdef ROW_carried /* from one step of the loop to the next */
static void row(void)
{
    RIGHT(DO(omp simd))
    WRONG(DO(omp parallel for num_threads(4) schedule(static, 1)))
    for (int i = 1; i < N; i++)
        a[i] = a[RIGHT(i) WRONG(i - 1)] + 1;
}
#endif
#ifdef ROW_barrier
static void row(void)
{
    DO(omp parallel num_threads(4))
    {
        int me = omp_get_thread_num();
        a[me] = me;
        RIGHT(DO(omp barrier))
        a[me + 8] = a[(me + 1) % 4];
    }
}
#endif
#ifdef ROW_barriers /* many of them, each needed */
static void row(void)
{
    DO(omp parallel num_threads(3))
    for (int i = 0; i < 7; i++) {
        a[omp_get_thread_num()] = a[10];
        DO(omp barrier)
        if (omp_get_thread_num() == i % 3)
            a[10] = a[0] + a[1] + a[2];
        RIGHT(DO(omp barrier))
    }
}
#endif
#ifdef ROW_nowait
static void row(void)
{
    DO(omp parallel num_threads(4))
    {
        RIGHT(DO(omp for schedule(static, 1)))
        WRONG(DO(omp for schedule(static, 1) nowait))
        for (int i = 0; i < N; i++)
            a[i] = i;
        DO(omp for schedule(static, 3))
        for (int i = 0; i < N; i++)
            a[i]++;
    }
}
#endif
#ifdef ROW_critical
static void row(void)
{
    DO(omp parallel num_threads(4))
    {
        RIGHT(DO(omp critical))
        WRONG(DO(omp master))
        total++;
        WRONG(if (omp_get_thread_num() == 1) total++;)
    }
}
#endif
#ifdef ROW_names /* two critical sections of other names */
static void row(void)
{
    DO(omp parallel num_threads(2))
    {
        if (omp_get_thread_num()) {
            DO(omp critical(one))
            total++;
        } else {
            RIGHT(DO(omp critical(one)))
            WRONG(DO(omp critical(two)))
            total++;
        }
    }
}
#endif
#ifdef ROW_atomic
static void row(void)
{
    DO(omp parallel num_threads(4))
    {
        DO(omp atomic)
        total++;
        RIGHT(DO(omp atomic))
        sum += 1;
    }
}
#endif
#ifdef ROW_lock
static void row(void)
{
    omp_lock_t l;
    omp_init_lock(&l);
    DO(omp parallel num_threads(4))
    {
        RIGHT(omp_set_lock(&l);)
        total++;
        RIGHT(omp_unset_lock(&l);)
    }
    omp_destroy_lock(&l);
}
#endif
#ifdef ROW_nested_lock
static void row(void)
{
    omp_nest_lock_t l;
    omp_init_nest_lock(&l);
    DO(omp parallel num_threads(3))
    {
        omp_set_nest_lock(&l);
        omp_set_nest_lock(&l);
        total++;
        omp_unset_nest_lock(&l);
        RIGHT(total++;)
        omp_unset_nest_lock(&l);
        WRONG(total++;)
    }
    omp_destroy_nest_lock(&l);
}
#endif
#ifdef ROW_tried_lock
static void row(void)
{
    omp_lock_t l;
    omp_init_lock(&l);
    DO(omp parallel num_threads(2))
    {
        while (!omp_test_lock(&l))
            ;
        RIGHT(total++;)
        omp_unset_lock(&l);
        WRONG(total++;)
    }
}
#endif
#ifdef ROW_lock_order /* BUG: lock-cycle */
static void row(void)
{
    omp_lock_t l, m;
    omp_init_lock(&l);
    omp_init_lock(&m);
    DO(omp parallel sections num_threads(2))
    {
        DO(omp section)
        {
            meet();
            omp_set_lock(&l);
            omp_set_lock(&m);
            omp_unset_lock(&m);
            omp_unset_lock(&l);
        }
        DO(omp section)
        {
            meet();
            usleep(50000);
            omp_set_lock(RIGHT(&l) WRONG(&m));
            omp_set_lock(RIGHT(&m) WRONG(&l));
            omp_unset_lock(&l);
            omp_unset_lock(&m);
        }
    }
}
#endif
#ifdef ROW_reduction
static void row(void)
{
    RIGHT(DO(omp parallel for num_threads(4) reduction(+ : sum, total)))
    WRONG(DO(omp parallel for num_threads(4) reduction(+ : sum)))
    for (int i = 0; i < N; i++) {
        sum += i;
        total += i;
    }
}
#endif
#ifdef ROW_reductions_of_arrays
static void row(void)
{
    int b[8] = {0};
    RIGHT(DO(omp parallel for num_threads(4) reduction(+ : b)))
    WRONG(DO(omp parallel for num_threads(4)))
    for (int i = 0; i < N; i++)
        b[i % 8] += i;
    a[0] = b[3];
}
#endif
#ifdef ROW_single
static int q;
DO(omp threadprivate(q))
static void row(void)
{
    DO(omp parallel num_threads(4))
    {
        RIGHT(DO(omp single copyprivate(q)))
        q = ++total;
        WRONG(DO(omp single nowait))
        WRONG(a[0] = 1;)
        DO(omp atomic)
        a[1] += q + RIGHT(0) WRONG(a[0]);
    }
}
#endif
#ifdef ROW_copied_in
static int q;
DO(omp threadprivate(q))
static void row(void)
{
    q = 7;
    DO(omp parallel num_threads(4) copyin(q))
    {
        q += omp_get_thread_num();
        a[RIGHT(omp_get_thread_num()) WRONG(0)] = q;
    }
}
#endif
#ifdef ROW_last
static void row(void)
{
    RIGHT(DO(omp parallel for num_threads(4) lastprivate(total)))
    WRONG(DO(omp parallel for num_threads(4)))
    for (int i = 0; i < N; i++)
        total = i;
}
#endif
#ifdef ROW_ordered
static void row(void)
{
    DO(omp parallel for num_threads(4) schedule(static, 1) ordered)
    for (int i = 0; i < 12; i++) {
        RIGHT(DO(omp ordered))
        total += i;
        WRONG(DO(omp ordered))
        WRONG(a[0]++;)
    }
}
#endif
#ifdef ROW_across
static void row(void)
{
    DO(omp parallel for num_threads(4) schedule(static, 1) ordered(1))
    for (int i = 1; i < 12; i++) {
        RIGHT(DO(omp ordered depend(sink : i - 1)))
        a[i] = a[i - 1] + 1;
        RIGHT(DO(omp ordered depend(source)))
    }
}
#endif
#ifdef ROW_sections
static void row(void)
{
    DO(omp parallel sections num_threads(2))
    {
        DO(omp section)
        {
            meet();
            a[0] = 1;
        }
        DO(omp section)
        {
            meet();
            a[RIGHT(1) WRONG(0)] = 2;
        }
    }
    total = a[0] + a[1];
}
#endif
#ifdef ROW_task_waited_for
static void row(void)
{
    DO(omp parallel num_threads(4))
    DO(omp single)
    {
        for (int i = 0; i < 4; i++) {
            DO(omp task)
            {
                WRONG(if (i == 0) meet();)
                a[i] = i;
            }
        }
        RIGHT(DO(omp taskwait))
        WRONG(meet();)
        total = a[0] + a[1] + a[2] + a[3];
    }
}
#endif
#ifdef ROW_tasks_by_dependence
static void row(void)
{
    DO(omp parallel num_threads(4))
    DO(omp single)
    {
        RIGHT(DO(omp task depend(out : flag)))
        WRONG(DO(omp task))
        {
            WRONG(meet();)
            total = 5;
        }
        for (int i = 0; i < 3; i++) {
            DO(omp task depend(in : flag))
            {
                WRONG(if (i == 0) meet();)
                a[i] = total;
            }
        }
        DO(omp task depend(inout : flag))
        total++;
    }
}
#endif
#ifdef ROW_task_group
static void row(void)
{
    DO(omp parallel num_threads(4))
    DO(omp single)
    {
        RIGHT(DO(omp taskgroup))
        for (int i = 0; i < 3; i++) {
            DO(omp task)
            {
                DO(omp task) /* a grandchild, for which no taskwait here would wait */
                {
                    WRONG(if (i == 0) meet();)
                    a[i] = i;
                }
            }
        }
        WRONG(DO(omp taskwait))
        WRONG(meet();)
        total = a[0] + a[1] + a[2];
    }
}
#endif
#ifdef ROW_tree_of_tasks
static int fib(int n)
{
    int x = 0, y = 0;
    if (n < 2)
        return n;
    DO(omp task shared(x))
    {
        if (n == 9)
            meet();
        x = fib(n - 1);
    }
    DO(omp task shared(y))
    {
        if (n == 9)
            meet();
        y = fib(n - 2);
        WRONG(total++;)
    }
    DO(omp taskwait)
    return x + y;
}
static void row(void)
{
    DO(omp parallel num_threads(4))
    DO(omp single)
    a[0] = fib(9);
}
#endif
#ifdef ROW_loop_of_tasks
static void row(void)
{
    DO(omp parallel num_threads(4))
    DO(omp single)
    {
        DO(omp taskloop grainsize(4))
        for (int i = 0; i < N; i++) {
            if (i == 0 || i == N - 1)
                meet();
            a[i] = i;
            WRONG(total = i;)
        }
        total += a[3];
    }
}
#endif
#ifdef ROW_teams_in_teams
static void row(void)
{
    omp_set_max_active_levels(2);
    DO(omp parallel for num_threads(2))
    for (int i = 0; i < 2; i++) {
        int all = 0;
        DO(omp parallel for num_threads(2) reduction(max : all))
        for (int j = 0; j < 8; j++)
            all = all > i * 8 + j ? all : i * 8 + j;
        a[RIGHT(i) WRONG(0)] = all;
    }
}
#endif
#ifdef ROW_flag /* handed over by an atomic flag */
static void row(void)
{
    DO(omp parallel num_threads(2))
    if (omp_get_thread_num()) {
        total = 3;
        RIGHT(DO(omp atomic write release))
        WRONG(DO(omp atomic write relaxed))
        flag = 1;
    } else {
        for (int f = 0; !f;) {
            RIGHT(DO(omp atomic read acquire))
            WRONG(DO(omp atomic read relaxed))
            f = flag;
        }
        a[0] = total;
    }
}
#endif

int main(void)
{
    row();
    printf("%d %d %g\n", a[0], total, sum);
}
