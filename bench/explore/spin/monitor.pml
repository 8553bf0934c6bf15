/* What every model of an object keeps of its history; see monitor.h. */
c_decl { \#include "monitor.h" }
byte inv, ans, before[OPS], res[OPS];
bool wrong;
#define INVOKE(i) inv = inv | (1 << i); before[i] = ans
#define RESPOND(i, r) res[i] = r; ans = ans | (1 << i); \
    c_code { now.wrong = !linearizable(0, now.inv, now.ans, now.before, now.res, 0); }; assert(!wrong)
