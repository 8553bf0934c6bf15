/* Two transfers, in opposite directions, each of which locks what it takes from first. The test of
 * the one a moment after the other is green, nearly always. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    long balance;
};

static struct account alice = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bob = {PTHREAD_MUTEX_INITIALIZER, 100};

static void transfer(struct account *from, struct account *to, long n)
{
    pthread_mutex_lock(&from->lock);
    pthread_mutex_lock(&to->lock);
    from->balance -= n;
    to->balance += n;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *pay_rent(void *unused)
{
    transfer(&alice, &bob, 5);
    return unused;
}

static void *pay_back(void *unused)
{
    transfer(&bob, &alice, 3);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, pay_rent, NULL);
    usleep(10000);
    pthread_create(&b, NULL, pay_back, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld %ld\n", alice.balance, bob.balance);
    return 0;
}
