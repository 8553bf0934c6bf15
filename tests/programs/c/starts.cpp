// What threads are called: by the function that they begin with, or as they are called later.
#include <pthread.h>
#include <thread>
#include <vector>

namespace bank {
int total;
struct Account {
    void pay(int much) { total += much; }
};
static void audit(int much)
{
    total += much;
}
} // namespace bank

static void *worker(void *nothing)
{
    bank::total++;
    return nothing;
}

static void *renamed(void *nothing)
{
    pthread_setname_np(pthread_self(), "night \"shift\"");
    pthread_setname_np(pthread_self(), "a name that is too long");
    return worker(nothing);
}

static void by_pthread(void *(*volatile unknown)(void *))
{
    pthread_t t;
    pthread_create(&t, nullptr, worker, nullptr);
    pthread_join(t, nullptr);
    pthread_create(&t, nullptr, renamed, nullptr);
    pthread_join(t, nullptr);
    pthread_create(&t, nullptr, unknown, nullptr);
    pthread_join(t, nullptr);
}

int main()
{
    bank::Account account;
    std::vector<std::thread> all;
    by_pthread(worker);
    std::thread(bank::audit, 1).join();
    std::thread(&bank::audit, 2).join();
    std::thread(&bank::Account::pay, &account, 3).join();
    std::thread([] { bank::total++; }).join();
    all.emplace_back(bank::audit, 4);
    all.back().join();
    all.emplace_back([] { bank::total++; });
    all.back().join();
}
