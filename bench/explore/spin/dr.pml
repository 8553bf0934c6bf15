/* The primary-backup register of examples/actors/dr, for SPIN. The network is a bag: each
 * message that can exist is a bit, so nothing is kept in order. Four writers and four readers;
 * half of each ask the backup. */
#define OPS 8
#include "monitor.pml"

byte reg1, reg2;              /* the leader's and the backup's value */
byte seen[OPS], back[OPS];    /* reads: what the leader had, what the backup said */
bool asked2[OPS], asked1[OPS];/* a request pending at the backup, at the leader */
bool fwd[OPS];                /* a write that was passed on: nobody is told */
bool copy[OPS], ack[OPS];     /* WriteReplica or ReadReplica pending; their acknowledgement */
bool open[OPS];               /* the tracker's entry */

#define BEGUN(c) if :: inv & (1 << c) :: else -> INVOKE(c) fi

#define WRITER(c, v)                                                                     \
:: d_step { asked2[c] -> asked2[c] = 0; BEGUN(c); asked1[c] = 1; fwd[c] = 1 }            \
:: d_step { asked1[c] -> asked1[c] = 0; BEGUN(c); reg1 = v; open[c] = !fwd[c]; copy[c] = 1 } \
:: d_step { copy[c] -> copy[c] = 0; reg2 = v; ack[c] = 1 }                               \
:: d_step { ack[c] -> ack[c] = 0; if :: open[c] -> RESPOND(c, 0) :: else fi; open[c] = 0 }

#define READER(c)                                                                        \
:: d_step { asked2[c] -> asked2[c] = 0; BEGUN(c); asked1[c] = 1 }                        \
:: d_step { asked1[c] -> asked1[c] = 0; BEGUN(c); seen[c] = reg1; open[c] = 1; copy[c] = 1 } \
:: d_step { copy[c] -> copy[c] = 0; back[c] = reg2; ack[c] = 1 }                         \
:: d_step { ack[c] -> ack[c] = 0;                                                        \
            if :: back[c] == seen[c] -> RESPOND(c, seen[c]); seen[c] = 0; open[c] = 0    \
               :: else fi; back[c] = 0 }

init {
    d_step {
        asked1[0] = 1; asked2[1] = 1; asked1[2] = WRITERS > 2; asked2[3] = WRITERS > 3;
        asked2[4] = 1; asked1[5] = 1; asked2[6] = READERS > 2; asked1[7] = READERS > 3
    }
end:
    do
    WRITER(0, 1)
    WRITER(1, 2)
    WRITER(2, 3)
    WRITER(3, 4)
    READER(4)
    READER(5)
    READER(6)
    READER(7)
    od
}
