/* systems/abd: a register on three servers; with BUG a read does not write back. Operation i is asked
 * of server i: a write and two reads. Of operation i and server s: 3 * i + s. */
#define OPS 3
#include "monitor.pml"
bool asked[3], query[9], have[9], store[9], stored[9];
byte hstamp[9], hvalue[9];                 /* what a Have carries */
byte sstamp[3], svalue[3];                 /* what the Stores of an operation carry */
byte phase[3], count[3], rstamp[3], rvalue[3];
byte stamp[3], value[3];

#define BEGIN(i, a, b)                                                                   \
:: d_step { asked[i] -> asked[i] = 0; INVOKE(i); phase[i] = 1; count[i] = 1;             \
            rstamp[i] = stamp[i]; rvalue[i] = value[i]; query[3 * i + a] = 1; query[3 * i + b] = 1 }
#define FINISH(i)                                                                        \
    RESPOND(i, (i -> rvalue[i] : 0)); phase[i] = 0; count[i] = 0; rstamp[i] = 0; rvalue[i] = 0
#ifdef BUG
#define ANSWERS(i) i > 0
#else
#define ANSWERS(i) false
#endif
#define SERVER(i, s, a, b)                                                               \
:: d_step { query[3 * i + s] -> query[3 * i + s] = 0; have[3 * i + s] = 1;               \
            hstamp[3 * i + s] = stamp[s]; hvalue[3 * i + s] = value[s] }                 \
:: d_step { have[3 * i + s] -> have[3 * i + s] = 0;                                      \
       if :: phase[i] == 1 ->                                                            \
            if :: hstamp[3 * i + s] > rstamp[i] -> rstamp[i] = hstamp[3 * i + s];        \
                  rvalue[i] = hvalue[3 * i + s] :: else fi;                              \
            if :: i == 0 -> rstamp[i] = (rstamp[i] / 4 + 1) * 4 + 1; rvalue[i] = 1 :: else fi; \
            if :: ANSWERS(i) -> FINISH(i)                                                \
               :: else -> phase[i] = 2; count[i] = 1;                                    \
                  if :: rstamp[i] > stamp[i] -> stamp[i] = rstamp[i]; value[i] = rvalue[i] :: else fi; \
                  sstamp[i] = rstamp[i]; svalue[i] = rvalue[i];                          \
                  store[3 * i + a] = 1; store[3 * i + b] = 1 fi                          \
          :: else fi; hstamp[3 * i + s] = 0; hvalue[3 * i + s] = 0 }                     \
:: d_step { store[3 * i + s] -> store[3 * i + s] = 0; stored[3 * i + s] = 1;             \
            if :: sstamp[i] > stamp[s] -> stamp[s] = sstamp[i]; value[s] = svalue[i] :: else fi } \
:: d_step { stored[3 * i + s] -> stored[3 * i + s] = 0;                                  \
            if :: phase[i] == 2 -> FINISH(i) :: else fi }
/* Two of three are a majority: the first answer of another one is enough. */

init {
    d_step { asked[0] = 1; asked[1] = 1; asked[2] = 1 }
end:
    do
    BEGIN(0, 1, 2)
    BEGIN(1, 0, 2)
    BEGIN(2, 0, 1)
    SERVER(0, 1, 1, 2)
    SERVER(0, 2, 1, 2)
    SERVER(1, 0, 0, 2)
    SERVER(1, 2, 0, 2)
    SERVER(2, 0, 0, 1)
    SERVER(2, 1, 0, 1)
    od
}
