/* examples/actors/queue with BUG: each agent has a queue of its own, and an empty one asks the other.
 * Operations: enqueue(7) at agent 0, enqueue(8) at 1, dequeue at 1, dequeue at 0. */
#define OPS 4
#include "monitor.pml"
bool asked[4], pull[2]; /* pull: to this agent */
byte item[4], n[2];     /* the items of agent a: 2 * a, 2 * a + 1 */
byte got;

#define TAKE(a)                                                                          \
    if :: n[a] -> got = item[2 * a]; item[2 * a] = item[2 * a + 1]; item[2 * a + 1] = 0; n[a]-- \
       :: else -> got = 0 fi
#define ENQUEUER(i, a, x)                                                                \
:: d_step { asked[i] -> asked[i] = 0; INVOKE(i); item[2 * a + n[a]] = x; n[a]++; RESPOND(i, 0) }
#define DEQUEUER(i, a)                                                                   \
:: d_step { asked[i] -> asked[i] = 0; INVOKE(i);                                         \
            if :: n[a] -> TAKE(a); RESPOND(i, got) :: else -> pull[1 - a] = 1 fi; got = 0 } \
:: d_step { pull[1 - a] -> pull[1 - a] = 0; TAKE(1 - a); RESPOND(i, got); got = 0 }

init {
    d_step { asked[0] = 1; asked[1] = 1; asked[2] = 1; asked[3] = 1 }
end:
    do
    ENQUEUER(0, 0, 7)
    ENQUEUER(1, 1, 8)
    DEQUEUER(2, 1)
    DEQUEUER(3, 0)
    od
}
