// A latch that is used again while somebody still waits for its last round.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
struct Latch {
    std::mutex m;
    std::condition_variable c;
    int n;
    int gen = 0;
    explicit Latch(int k) : n(k)
    {
    }
    void arrive(int k)
    {
        std::unique_lock<std::mutex> l(m);
#ifdef FIXED
        int g = gen;
        if (--n == 0) {
            n = k;
            gen++;
            c.notify_all();
        } else
            c.wait(l, [&] { return gen != g; });
#else
        if (--n == 0) {
            n = k;
            c.notify_all();
        } else
            c.wait(l, [&] { return n == k; });
#endif
    }
};
int main()
{
    Latch a(2);
    std::vector<std::thread> t;
    for (int i = 0; i < 2; i++)
        t.emplace_back([&] {
            for (int r = 0; r < 2; r++)
                a.arrive(2);
        });
    for (auto &x : t)
        x.join();
}
