// A shared pointer that is copied while another thread assigns it.
#include <memory>
#include <mutex>
#include <thread>
struct N {
    int v;
};
std::shared_ptr<N> head = std::make_shared<N>(N{1});
std::mutex m;
int main()
{
    int s = 0;
    std::thread a([&] {
        for (int i = 0; i < 2; i++) {
#ifdef FIXED
            std::lock_guard<std::mutex> g(m);
#endif
            auto p = head;
            s += p->v;
        }
    });
    std::thread b([&] {
        auto n = std::make_shared<N>(N{2});
#ifdef FIXED
        std::lock_guard<std::mutex> g(m);
#endif
        head = n;
    });
    a.join();
    b.join();
    return s > 4;
}
