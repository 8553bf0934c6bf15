// A library in C++ that was not built by foresee: nobody sees what its waits depend on. With -DUSES: the
// program that waits with it.
#include <pthread.h>

struct latch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_open;
    latch();
    void open();
    void wait();
};

#ifdef USES
static void *open_it(void *what)
{
    static_cast<latch *>(what)->open();
    return nullptr;
}

int main()
{
    static latch one;
    pthread_t t;
    pthread_create(&t, nullptr, open_it, &one);
    one.wait();
    pthread_join(t, nullptr);
    return 0;
}
#else
latch::latch() : is_open(false)
{
    pthread_mutex_init(&lock, nullptr);
    pthread_cond_init(&changed, nullptr);
}

void latch::open()
{
    pthread_mutex_lock(&lock);
    is_open = true;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

void latch::wait()
{
    pthread_mutex_lock(&lock);
    while (!is_open)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}
#endif
