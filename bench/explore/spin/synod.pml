/* systems/synod: Paxos for one decision, two proposers and three acceptors; with BUG a proposer does not
 * take over what was accepted. Of proposer p and acceptor a: 3 * p + a. */
bool go[2], prepare[6], promise[6], accept[6], accepted_[6], decided[2];
byte pballot[6], pvalue[6];                       /* what a Promise carries */
byte own[2], best[2], promises[2], accepts[2], sent[2]; /* sent: what the Accepts carry */
byte promised[3], accepted[3], value[3];
byte learnt;

#define PROPOSER(p)                                                                      \
:: d_step { go[p] -> go[p] = 0; prepare[3 * p] = 1; prepare[3 * p + 1] = 1; prepare[3 * p + 2] = 1 } \
:: d_step { decided[p] -> decided[p] = 0; assert(!learnt || learnt == own[p]); learnt = own[p] }
#ifdef BUG
#define TAKEOVER(p, i) skip
#else
#define TAKEOVER(p, i)                                                                   \
    if :: pballot[i] > best[p] && promises[p] <= 1 -> best[p] = pballot[i]; own[p] = pvalue[i] :: else fi
#endif
#define ACCEPTOR(p, a)                                                                   \
:: d_step { prepare[3 * p + a] -> prepare[3 * p + a] = 0;                                \
            if :: p + 1 > promised[a] -> promised[a] = p + 1; promise[3 * p + a] = 1;    \
                  pballot[3 * p + a] = accepted[a]; pvalue[3 * p + a] = value[a] :: else fi } \
:: d_step { promise[3 * p + a] -> promise[3 * p + a] = 0; TAKEOVER(p, 3 * p + a); promises[p]++; \
            pballot[3 * p + a] = 0; pvalue[3 * p + a] = 0;                               \
            if :: promises[p] == 2 -> sent[p] = own[p]; accept[3 * p] = 1; accept[3 * p + 1] = 1; \
                  accept[3 * p + 2] = 1 :: else fi }                                     \
:: d_step { accept[3 * p + a] -> accept[3 * p + a] = 0;                                  \
            if :: p + 1 >= promised[a] -> promised[a] = p + 1; accepted[a] = p + 1;      \
                  value[a] = sent[p]; accepted_[3 * p + a] = 1 :: else fi }              \
:: d_step { accepted_[3 * p + a] -> accepted_[3 * p + a] = 0; accepts[p]++;              \
            if :: accepts[p] == 2 -> decided[p] = 1 :: else fi }

init {
    d_step { go[0] = 1; go[1] = 1; own[0] = 1; own[1] = 2 }
end:
    do
    PROPOSER(0)
    PROPOSER(1)
    ACCEPTOR(0, 0)
    ACCEPTOR(0, 1)
    ACCEPTOR(0, 2)
    ACCEPTOR(1, 0)
    ACCEPTOR(1, 1)
    ACCEPTOR(1, 2)
    od
}
