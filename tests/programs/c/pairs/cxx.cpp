// What C++ programs share: one row each.
#include "pair.h"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <future>
#include <iostream>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#define ROW(before, by_thread, by_main)                                                  \
    static void prepare(void) { before; }                                                \
    static void first(void) { LOCK(); by_thread; UNLOCK(); }                             \
    static void second(void) { SOON(); LOCK(); by_main; UNLOCK(); }

static thread_local volatile long sink;
static int x;

#ifdef ROW_vector
static std::vector<int> v;
ROW(v.push_back(1), v.push_back(2), v.push_back(3))
#endif
#ifdef ROW_string
static std::string s;
ROW(s = "a", s += "something long enough for the heap", sink = (long)s.size())
#endif
#ifdef ROW_string_append /* in the library, both */
static std::string s;
ROW(s = "a", s.append("bc"), s.append("de"))
#endif
#ifdef ROW_map
static std::map<int, int> m;
ROW(m[1] = 1, m[2] = 2, m[3] = 3)
#endif
#ifdef ROW_map_find /* one is changed inside the library */
static std::map<int, int> m;
ROW(m[5] = 1, m[2] = 2, sink = (long)m.count(2))
#endif
#ifdef ROW_map_walk
static std::map<int, int> m;
ROW(m[5] = m[6] = 1, m.erase(6), for (auto &each : m) sink = each.second)
#endif
#ifdef ROW_list
static std::list<int> l;
ROW(l.push_back(1), l.push_back(2), sink = l.back())
#endif
#ifdef ROW_hash_map
static std::unordered_map<std::string, int> m;
ROW(m["a"] = 1, m["b"] = 2, m["c"] = 3)
#endif
#ifdef ROW_string_stream
static std::ostringstream o;
ROW(o << 1, o << 2, o << 3)
#endif
#ifdef ROW_unique_pointer
static std::unique_ptr<int> p;
ROW(p.reset(new int(1)), p.reset(new int(2)), sink = *p)
#endif
#ifdef ROW_shared_pointer /* the count is atomic, the pointer is not */
static std::shared_ptr<int> p;
ROW(p = std::make_shared<int>(1), p = std::make_shared<int>(2), std::shared_ptr<int> q = p; sink = *q)
#endif
#ifdef ROW_shared_pointer_copies /* each has its own; the last one destroys */
static std::shared_ptr<int> p, mine;
static void prepare(void) { p = std::make_shared<int>(1); mine = p; }
static void first(void) { sink = *p; p.reset(); }
static void second(void) { usleep(30000); sink = *mine; ORDER((void)0);
#ifdef RACY
    p.reset();
#endif
    mine.reset(); }
#endif
#ifdef ROW_function
static std::function<int(int)> f;
ROW(f = [](int i) { return i; }, int k = 3; f = [k](int i) { return i + k; }, sink = f(1))
#endif
#ifdef ROW_virtual /* the table is set again while others call */
struct base { virtual ~base() {} virtual int f() { return 1; } };
struct derived : base { int f() override { return 2; } };
static base *b;
ROW(b = new derived, delete b; b = new base, sink = b->f())
#endif
#ifdef ROW_lock_guard
static std::mutex m;
static void prepare(void) {}
static void first(void) { ORDER(std::lock_guard<std::mutex> g(m)); x = 1; }
static void second(void) { SOON(); ORDER(std::lock_guard<std::mutex> g(m)); x = 2; }
#endif
#ifdef ROW_scoped_lock
static std::mutex m, n;
static void prepare(void) {}
static void first(void) { ORDER(std::scoped_lock g(m, n)); x = 1; }
static void second(void) { SOON(); ORDER(std::scoped_lock g(n, m)); x = 2; }
#endif
#ifdef ROW_shared_mutex
static std::shared_mutex m;
static void prepare(void) {}
static void first(void) { ORDER(std::unique_lock<std::shared_mutex> g(m)); x = 1; }
static void second(void) { SOON(); ORDER(std::shared_lock<std::shared_mutex> g(m)); sink = x; }
#endif
#ifdef ROW_recursive_mutex
static std::recursive_mutex m;
static void prepare(void) {}
static void first(void) { ORDER(std::lock_guard<std::recursive_mutex> g(m); std::lock_guard<std::recursive_mutex> h(m)); x = 1; }
static void second(void) { SOON(); ORDER(std::lock_guard<std::recursive_mutex> g(m)); x = 2; }
#endif
#ifdef ROW_condition_variable
static std::mutex m;
static std::condition_variable c;
static bool ready;
static void prepare(void) {}
static void first(void) { x = 1; { std::lock_guard<std::mutex> g(m); ready = true; } c.notify_one(); }
static void second(void) { ORDER({ std::unique_lock<std::mutex> g(m); c.wait(g, [] { return ready; }); }); x = 2; }
#endif
#ifdef ROW_promise
static std::promise<int> p;
static std::future<int> f;
static void prepare(void) { f = p.get_future(); }
static void first(void) { x = 1; p.set_value(1); }
static void second(void) { ORDER(f.get()); x = 2; }
#endif
#ifdef ROW_async
static std::future<void> f;
static void prepare(void) { f = std::async(std::launch::async, [] { x = 1; }); }
static void first(void) {}
static void second(void) { ORDER(f.get()); x = 2; }
#endif
#ifdef ROW_packaged_task
static std::packaged_task<void()> task([] { x = 1; });
static std::future<void> f;
static void prepare(void) { f = task.get_future(); }
static void first(void) { task(); }
static void second(void) { ORDER(f.wait()); x = 2; }
#endif
#ifdef ROW_call_once
static std::once_flag o;
static void prepare(void) {}
static void first(void) { std::call_once(o, [] { x = 1; }); }
static void second(void) { SOON(); ORDER(std::call_once(o, [] { x = 3; })); x = 2; }
#endif
#ifdef ROW_static_in_function
static int *get(void)
{
#ifdef RACY
    static int *p;
    if (!p)
        p = new int(3);
    return p;
#else
    static int *p = new int(3);
    return p;
#endif
}
static void prepare(void) {}
static void first(void) { sink = *get(); }
static void second(void) { SOON(); sink = *get(); }
#endif
#ifdef ROW_thread_join
static std::thread *t;
static void prepare(void) { t = new std::thread([] { x = 1; }); }
static void first(void) {}
static void second(void) { ORDER(t->join()); x = 2; 
#ifdef RACY
    t->join();
#endif
}
#endif
#ifdef ROW_atomic
static std::atomic<int> flag;
static void prepare(void) {}
static void first(void) { x = 1; flag.store(1, std::memory_order_release); }
static void second(void) { ORDER(while (!flag.load(std::memory_order_acquire)) usleep(100)); x = 2; }
#endif
#ifdef ROW_atomic_wait
static std::atomic<int> flag;
static void prepare(void) {}
static void first(void) { x = 1; flag = 1; flag.notify_one(); }
static void second(void) { ORDER(flag.wait(0)); x = 2; }
#endif
#ifdef ROW_atomic_pointer /* its library gives the pointer back with a relaxed operation */
#ifdef RACY
static std::shared_ptr<int> p;
ROW(p = std::make_shared<int>(1), sink = *p, p = std::make_shared<int>(2))
#else
static std::atomic<std::shared_ptr<int>> p;
static void prepare(void) { p.store(std::make_shared<int>(1)); }
static void first(void) { sink = *p.load(); }
static void second(void) { SOON(); p.store(std::make_shared<int>(2)); }
#endif
#endif
#ifdef ROW_exception
static void prepare(void) {}
static void first(void) { try { LOCK(); x = 1; throw 3; } catch (int) { UNLOCK(); } }
static void second(void) { SOON(); LOCK(); x = 2; UNLOCK(); }
#endif
#ifdef ROW_at_thread_exit /* the library sets it, when the thread has ended */
static std::promise<void> ended;
static void prepare(void) {}
static void first(void) { ORDER(ended.set_value_at_thread_exit()); x = 1; }
static void second(void) { ORDER(ended.get_future().wait()); x = 2; }
#endif
#ifdef ROW_once_that_failed /* the first try is left by an exception, the next comes after it */
static std::once_flag once;
static void count(bool fails) { x++; if (fails) throw 1; }
static void attempt(bool fails) { try {
#ifdef RACY
    count(fails);
#else
    std::call_once(once, count, fails);
#endif
    } catch (int) {} }
static void prepare(void) {}
static void first(void) { attempt(true); }
static void second(void) { SOON(); attempt(false); }
#endif
#ifdef ROW_static_that_failed
struct made { made(bool fails) { x++; if (fails) throw 1; } };
static void attempt(bool fails) { try {
#ifdef RACY
    made one(fails);
#else
    static made one(fails);
#endif
    } catch (int) {} }
static void prepare(void) {}
static void first(void) { attempt(true); }
static void second(void) { SOON(); attempt(false); }
#endif
