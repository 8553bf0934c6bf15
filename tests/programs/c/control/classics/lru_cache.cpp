// A cache that is looked up without the lock.
#include <cassert>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
struct Cache {
    std::mutex m;
    std::list<int> order;
    std::unordered_map<int, std::list<int>::iterator> at;
    size_t cap = 2;
    void put(int k)
    {
        std::lock_guard<std::mutex> g(m);
        order.push_front(k);
        at[k] = order.begin();
        if (order.size() > cap) {
            at.erase(order.back());
            order.pop_back();
        }
    }
    bool has(int k)
    {
#ifdef FIXED
        std::lock_guard<std::mutex> g(m);
#endif
        return at.count(k);
    }
};
int main()
{
    Cache c;
    c.put(1);
    std::thread a([&] {
        for (int i = 2; i < 5; i++)
            c.put(i);
    });
    std::thread b([&] {
        for (int i = 0; i < 3; i++)
            c.has(i);
    });
    a.join();
    b.join();
}
