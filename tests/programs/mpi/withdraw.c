/* Three withdrawals that look at the balance before they take, and hold the lock only for each half. */
#include <assert.h>
#include <pthread.h>

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *withdraw(void *arg)
{
    int amount = *(int *)arg;
    pthread_mutex_lock(&lock);
    int there = balance;
    pthread_mutex_unlock(&lock);
    if (there >= amount) {
        pthread_mutex_lock(&lock);
        balance -= amount;
        pthread_mutex_unlock(&lock);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    int amounts[3] = {60, 50, 20};
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, withdraw, &amounts[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
#ifdef ASSERTS
    assert(balance >= 0);
#endif
    return 0;
}
