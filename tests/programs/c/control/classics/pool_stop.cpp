// A pool of workers that is told to stop without the lock: the wake-up is lost.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>
std::mutex m;
std::condition_variable cv;
std::queue<int> q;
std::atomic<bool> stop{false};
std::atomic<int> done{0};
void worker()
{
    for (;;) {
        std::unique_lock<std::mutex> l(m);
        while (q.empty() && !stop)
            cv.wait(l);
        if (q.empty())
            return;
        int x = q.front();
        q.pop();
        l.unlock();
        done += x;
    }
}
int main()
{
    std::vector<std::thread> t;
    for (int i = 0; i < 2; i++)
        t.emplace_back(worker);
    for (int i = 0; i < 3; i++) {
        {
            std::lock_guard<std::mutex> g(m);
            q.push(1);
        }
        cv.notify_one();
    }
#ifdef FIXED
    {
        std::lock_guard<std::mutex> g(m);
        stop = true;
    }
#else
    stop = true;
#endif
    cv.notify_all();
    for (auto &x : t)
        x.join();
    return done == 3 ? 0 : 1;
}
