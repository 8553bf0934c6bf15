/* examples/actors/2pc with BUG: participants answer readers while they wait for a decision. Operations:
 * add(1), add(2), contains(1) at participant 0, contains(1) at participant 1. */
#define OPS 4
#include "monitor.pml"
bool asked[4];
/* Of element x at participant p: 2 * x + p. */
bool prepare[4], vote[4], yes[4], decide[4], finished[4], voted[4], there[4];
bool commit[2];
byte votes[2], no[2], dones[2];

#define ADDER(x)                                                                         \
:: d_step { asked[x] -> asked[x] = 0; INVOKE(x); prepare[2 * x] = 1; prepare[2 * x + 1] = 1 }
#define PARTICIPANT(x, p)                                                                \
:: d_step { prepare[2 * x + p] -> prepare[2 * x + p] = 0; vote[2 * x + p] = 1;           \
            yes[2 * x + p] = !there[2 * x + p] && !voted[2 * x + p];                     \
            voted[2 * x + p] = voted[2 * x + p] || yes[2 * x + p] }                      \
:: d_step { vote[2 * x + p] -> vote[2 * x + p] = 0; no[x] = no[x] + !yes[2 * x + p];     \
            yes[2 * x + p] = 0; votes[x]++;                                              \
            if :: votes[x] == 2 -> commit[x] = !no[x]; decide[2 * x] = 1; decide[2 * x + 1] = 1 \
               :: else fi }                                                              \
:: d_step { decide[2 * x + p] -> decide[2 * x + p] = 0; voted[2 * x + p] = 0;            \
            there[2 * x + p] = there[2 * x + p] || commit[x]; finished[2 * x + p] = 1 }  \
:: d_step { finished[2 * x + p] -> finished[2 * x + p] = 0; dones[x]++;                  \
            if :: dones[x] == 2 -> RESPOND(x, commit[x]) :: else fi }
#define READER(p)                                                                        \
:: d_step { asked[2 + p] -> asked[2 + p] = 0; INVOKE(2 + p); RESPOND(2 + p, there[p]) }

init {
    d_step { asked[0] = 1; asked[1] = 1; asked[2] = 1; asked[3] = 1 }
end:
    do
    ADDER(0)
    ADDER(1)
    PARTICIPANT(0, 0)
    PARTICIPANT(0, 1)
    PARTICIPANT(1, 0)
    PARTICIPANT(1, 1)
    READER(0)
    READER(1)
    od
}
