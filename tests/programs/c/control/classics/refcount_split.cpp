// A count of references that is lowered and read in two steps.
#include <atomic>
#include <cassert>
#include <thread>
struct O {
    std::atomic<int> refs{2};
};
std::atomic<int> freed{0};
void drop(O *o)
{
#ifdef FIXED
    if (o->refs.fetch_sub(1) == 1)
        freed++;
#else
    o->refs--;
    if (o->refs == 0)
        freed++;
#endif
}
int main()
{
    O o;
    std::thread a(drop, &o), b(drop, &o);
    a.join();
    b.join();
    assert(freed == 1);
}
