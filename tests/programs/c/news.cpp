// What C++ allocates and what escapes, called by where and as what it was made.
#include <memory>
#include <thread>

struct tank {
    int level = 0;
    double flow = 0;
};

struct pool {
    tank *first = new tank;
    ~pool() { delete first; }
};

int main()
{
    tank *one = new tank, *many = new tank[3];
    std::unique_ptr<tank> owned(new tank);
    pool p;
    int local = 0;
    std::thread t([&] {
        one->level = 1;
        many[1].flow = 2;
        owned->level = 3;
        p.first->flow = 5;
        local = 6;
    });
    t.join();
    int sum = one->level + (int)many[1].flow + owned->level + (int)p.first->flow + local;
    delete one;
    delete[] many;
    return sum == 17 ? 0 : 1;
}
