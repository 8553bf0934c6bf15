#include <mutex>
#include <stdexcept>
#include <thread>
static int tries;
static std::mutex m;
struct T {
    int v;
    T()
    {
        std::lock_guard<std::mutex> g(m);
        if (++tries == 1)
            throw std::runtime_error("no");
        v = 5;
    }
};
static T &get()
{
    static T t;
    return t;
}
static int use()
{
    for (;;)
        try {
            return get().v;
        } catch (std::exception &) {
        }
}
int main()
{
    int r[3];
    std::thread a([&] { r[0] = use(); }), b([&] { r[1] = use(); }),
        c([&] { r[2] = use(); });
    a.join();
    b.join();
    c.join();
    return r[0] + r[1] + r[2] == 15 ? 0 : 1;
}
