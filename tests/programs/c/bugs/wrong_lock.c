/* Both threads hold a lock while they add, but not the same one. FIXED: the same one. */
#include <pthread.h>
#include <unistd.h>

struct account {
    pthread_mutex_t lock;
    int *balance;
};

static int money;
static struct account one = {PTHREAD_MUTEX_INITIALIZER, &money};
static struct account other = {PTHREAD_MUTEX_INITIALIZER, &money};

static void *pays(void *account)
{
    struct account *a = account;
    if (a == &other)
        usleep(100000);
#ifdef FIXED
    pthread_mutex_lock(&one.lock);
#else
    pthread_mutex_lock(&a->lock);
#endif
    *a->balance += 10;
#ifdef FIXED
    pthread_mutex_unlock(&one.lock);
#else
    pthread_mutex_unlock(&a->lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, pays, &one);
    pthread_create(&t[1], NULL, pays, &other);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return money != 20;
}
