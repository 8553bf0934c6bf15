#include "explore/phases.h"

#include <string.h>

static void send_in_phase(struct fore_transport *t, uint32_t to, const char *at, size_t n)
{
    struct fore_phases *p = (struct fore_phases *)t;
    fore_strbuf_clear(&p->out);
    fore_strbuf_putc(&p->out, (char)p->phase);
    fore_strbuf_add(&p->out, at, n);
    p->under->send(p->under, to, p->out.at, p->out.n);
}

/* Takes the message out of its envelope. */
static void open_message(struct fore_strbuf *m)
{
    memmove(m->at, m->at + 1, m->n - 1);
    m->n--;
}

static bool receive_in_phase(struct fore_transport *t, struct fore_strbuf *into)
{
    struct fore_phases *p = (struct fore_phases *)t;
    for (size_t i = 0; i < p->waiting.n; i++)
        if ((uint8_t)p->waiting.at[i].at[0] == p->phase) {
            fore_strbuf_release(into);
            *into = p->waiting.at[i];
            open_message(into);
            p->waiting.at[i] = fore_vec_pop(&p->waiting);
            return true;
        }
    while (p->under->receive(p->under, into)) {
        if ((uint8_t)into->at[0] == p->phase) {
            open_message(into);
            return true;
        }
        fore_vec_push(&p->waiting, *into);
        *into = (struct fore_strbuf)FORE_STRBUF_INIT;
    }
    return false;
}

static void wait_in_phase(struct fore_transport *t)
{
    struct fore_phases *p = (struct fore_phases *)t;
    p->under->idle(p->under);
}

static int64_t lost_in_phase(struct fore_transport *t)
{
    struct fore_phases *p = (struct fore_phases *)t;
    return p->under->lost(p->under);
}

void fore_phases_init(struct fore_phases *p, struct fore_transport *under)
{
    *p = (struct fore_phases){.transport = {.rank = under->rank,
                                            .ranks = under->ranks,
                                            .send = send_in_phase,
                                            .receive = receive_in_phase,
                                            .idle = wait_in_phase,
                                            .lost = lost_in_phase},
                              .under = under,
                              .out = FORE_STRBUF_INIT};
}

void fore_phases_release(struct fore_phases *p)
{
    for (size_t i = 0; i < p->waiting.n; i++)
        fore_strbuf_release(&p->waiting.at[i]);
    fore_vec_release(&p->waiting);
    fore_strbuf_release(&p->out);
}
