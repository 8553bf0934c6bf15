/* Two ways that lead to one line, in two threads: who called is told of both, of what created the threads, and
 * of what allocated the memory. */
#include <pthread.h>
#include <stdlib.h>

#define APART __attribute__((noinline))

struct account {
    int balance;
};
static struct account *account;

static APART void add(struct account *x, int n)
{
    x->balance += n;
}

static APART void deposit(int n)
{
    add(account, n);
    __asm__ volatile("");
}

static APART void pay(int n)
{
    add(account, -n);
    __asm__ volatile("");
}

static APART void job(void (*what)(int))
{
    for (int i = 0; i < 5; i++)
        what(i);
}

static void *teller(void *unused)
{
    job(deposit);
    return unused;
}

static void *clerk(void *unused)
{
    job(pay);
    return unused;
}

static APART pthread_t start(void *(*run)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    return t;
}

static APART struct account *open_account(void)
{
    struct account *x = calloc(1, sizeof *x);
    return x;
}

static APART void set_up(void)
{
    account = open_account();
}

int main(void)
{
    set_up();
    pthread_t a = start(teller), b = start(clerk);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
