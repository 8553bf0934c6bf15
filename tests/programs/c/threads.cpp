// std::thread and what goes with it.
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <thread>

static std::mutex m;
static std::recursive_mutex again;
static std::timed_mutex timed;
static std::shared_mutex shared;
static std::condition_variable changed;
static std::once_flag flag;
static std::atomic<int> count{0};
static int state;

static void worker()
{
    std::call_once(flag, [] { state = 9; });
    {
        std::unique_lock<std::mutex> hold(m);
        state = 2;
    }
    changed.notify_one();
    count.fetch_add(2, std::memory_order_release);
    std::shared_lock<std::shared_mutex> read(shared);
    timed.try_lock();
    timed.try_lock_for(std::chrono::nanoseconds(1));
}

static void wait_for_it()
{
    std::unique_lock<std::mutex> hold(m);
    std::thread t(worker);
    changed.wait(hold, [] { return state == 2; });
    hold.unlock();
    t.join();
}

int main()
{
    std::call_once(flag, [] { state = 1; });
    {
        std::lock_guard<std::recursive_mutex> one(again), two(again);
        std::unique_lock<std::shared_mutex> write(shared);
    }
    timed.lock();
    wait_for_it();
    timed.unlock();
    std::scoped_lock both(m, again);
    return count.load(std::memory_order_acquire) == 2 ? 0 : 1;
}
