/* examples/actors/edr: a write is acknowledged when the first replica has it, reads are local. Each
 * message that can exist is a bit. Operations: write(1) and write(2) at the leader, reads at 2 and 3. */
#define OPS 4
#include "monitor.pml"
bool asked[4], copy[4], ack[4], waits[2]; /* copies of write w for replica r: 2 * w + r */
byte leader, value[2];

#define WRITER(w)                                                                        \
:: d_step { asked[w] -> asked[w] = 0; INVOKE(w); leader = w + 1; waits[w] = 1;           \
            copy[2 * w] = 1; copy[2 * w + 1] = 1 }
#define READER(r)                                                                        \
:: d_step { asked[2 + r] -> asked[2 + r] = 0; INVOKE(2 + r); RESPOND(2 + r, value[r]) }
#define COPY(w, r)                                                                       \
:: d_step { copy[2 * w + r] -> copy[2 * w + r] = 0; value[r] = w + 1; ack[2 * w + r] = 1 } \
:: d_step { ack[2 * w + r] -> ack[2 * w + r] = 0;                                        \
            if :: waits[w] -> waits[w] = 0; RESPOND(w, 0) :: else fi }

init {
    d_step { asked[0] = 1; asked[1] = 1; asked[2] = 1; asked[3] = 1 }
end:
    do
    WRITER(0)
    WRITER(1)
    READER(0)
    READER(1)
    COPY(0, 0)
    COPY(0, 1)
    COPY(1, 0)
    COPY(1, 1)
    od
}
