// Names of C++: namespaces, members, references, templates, exceptions that pass a lock.
#include <mutex>
#include <stdexcept>

namespace bank {
struct Account {
    int balance = 100;
    static int total;
    void withdraw(int n);
    virtual ~Account() = default;
};
int Account::total = 1;
std::mutex m;
Account account;
namespace {
int hidden;
}
template <class T> struct Box {
    static T last;
};
template <class T> T Box<T>::last;

void Account::withdraw(int n)
{
    std::lock_guard<std::mutex> hold(m);
    if (n > balance)
        throw std::runtime_error("too much");
    balance -= n;
    total++;
}
} // namespace bank

static int made(int n)
{
    static int first = n + bank::hidden;
    return first;
}

int main()
{
    int failed = 0, *by_address = &bank::Account::total;
    int &total = *by_address;
    bank::hidden = 2;
    bank::account.withdraw(30);
    try {
        bank::account.withdraw(80);
    } catch (const std::runtime_error &) {
        failed = 1;
    }
    total += 5;
    bank::Box<int>::last = made(4) + made(5);
    auto add = [&total](int n) { total += n; };
    add(3);
    return failed && bank::Box<int>::last == 12 ? 0 : 1;
}
