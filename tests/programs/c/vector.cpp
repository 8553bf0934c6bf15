// Two threads and a std::vector; with -DFIXED under a lock.
#include <mutex>
#include <thread>
#include <vector>

static std::vector<int> all;
static std::mutex m;

static void add(int n)
{
#ifdef FIXED
    std::lock_guard<std::mutex> hold(m);
#endif
    all.push_back(n);
}

int main()
{
    all.reserve(4); // so that the race moves no elements: it would crash now and then
    std::thread t([] { add(1); });
    t.join();
    std::thread one([] { add(2); });
    add(3);
    one.join();
    return all.empty();
}
