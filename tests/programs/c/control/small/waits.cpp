// What C++20 waits with: std::atomic, latch, semaphore, barrier; with ONE, one of two is told.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>
#include <thread>

int main()
{
    std::atomic<int> state{0}, waiting{0};
    std::latch begun(2);
    std::counting_semaphore<1> turn(1);
    int n = 0;
    std::barrier<> met(2);
    auto wait = [&] {
        waiting++;
        state.wait(0);
        begun.arrive_and_wait();
        turn.acquire();
        n++;
        turn.release();
        met.arrive_and_wait();
    };
    std::thread a(wait), b(wait);
    state = 1;
#ifdef ONE
    state.notify_one();
#else
    state.notify_all();
#endif
    a.join();
    b.join();
    std::printf("%d\n", n);
}
