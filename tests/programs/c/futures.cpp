// std::async, promises and futures; a thread that is let go.
#include <chrono>
#include <future>
#include <thread>

static int first, second, third;

int main()
{
    auto made = std::async(std::launch::async, [] {
        first = 1;
        return 4;
    });
    int sum = made.get();
    first++;
    std::promise<int> promise;
    std::future<int> kept = promise.get_future();
    std::thread giver([&promise] {
        second = 2;
        promise.set_value(5);
    });
    sum += kept.get();
    second++;
    giver.join();
    std::promise<void> done;
    std::thread([&done] {
        third = 3;
        done.set_value();
        for (;;)
            std::this_thread::sleep_for(std::chrono::hours(1));
    }).detach();
    done.get_future().wait();
    third++;
    return sum == 9 ? 0 : 1;
}
