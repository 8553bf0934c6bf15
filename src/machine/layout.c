#include "machine/layout.h"

void fore_machine_lay_out(struct fore_machine *m)
{
    const struct fore_program *p = m->p;
    uint64_t at = (uint64_t)(p->threads + 1) * T_WORDS, offers = 1;
    m->objects_at = (uint32_t)at;
    at += (uint64_t)(p->objects + 1) * O_WORDS;
    m->queues_at = (uint32_t)at;
    for (uint32_t x = 1; x <= p->objects; x++) {
        m->queue[x] = (uint32_t)at;
        bool keeps = fore_chan_capacity(p, x) ||
                     (m->ledger && p->trace->tables.objects.at[x].kind == FORE_OBJ_SEM);
        at += keeps ? p->puts[x] : 0;
    }
    m->ledger_at = (uint32_t)at;
    at += m->ledger ? (uint64_t)(p->objects + 1) * LEDGER_WORDS : 0;
    m->loud = (uint32_t)at;
    m->lists_at = (uint32_t)at;
    at += (uint64_t)(p->objects + 1) * O_WORDS;
    m->offers_at = (uint32_t)at;
    for (uint32_t t = 1; t <= p->threads; t++) {
        m->slot[t] = (uint32_t)offers;
        offers += p->width[t];
    }
    at += 2 * offers;
    m->waiters_at = (uint32_t)at;
    at += 2 * ((uint64_t)p->threads + 1);
    FORE_BUG_IF(at > UINT32_MAX);
    m->words = (uint32_t)at;
    m->offer_thread = fore_calloc(offers, sizeof *m->offer_thread);
    for (uint32_t t = 1; t <= p->threads; t++)
        for (uint32_t i = 0; i < p->width[t]; i++)
            m->offer_thread[m->slot[t] + i] = t;
}
