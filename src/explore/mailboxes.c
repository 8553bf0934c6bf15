#include "explore/transport.h"

#include "base/mem.h"
#include "base/vec.h"

#include <pthread.h>
#include <time.h>

#define WAIT_NS 2000000

struct mailbox {
    struct fore_transport transport; /* first: what its owner holds */
    struct fore_mailboxes *all;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    FORE_VEC(struct fore_strbuf) in;    /* under the lock */
    FORE_VEC(struct fore_strbuf) taken; /* the owner's; read from `next` on */
    size_t next;
};

struct fore_mailboxes {
    uint32_t ranks;
    struct mailbox *box;
};

static void send_to_mailbox(struct fore_transport *t, uint32_t to, const char *at,
                            size_t n)
{
    struct mailbox *b = &((struct mailbox *)t)->all->box[to];
    struct fore_strbuf copy = FORE_STRBUF_INIT;
    fore_strbuf_add(&copy, at, n);
    pthread_mutex_lock(&b->lock);
    fore_vec_push(&b->in, copy);
    pthread_cond_signal(&b->filled);
    pthread_mutex_unlock(&b->lock);
}

/* Takes all messages at once, so that the lock is seldom needed. */
static bool receive_from_mailbox(struct fore_transport *t, struct fore_strbuf *into)
{
    struct mailbox *b = (struct mailbox *)t;
    if (b->next == b->taken.n) {
        b->next = b->taken.n = 0;
        pthread_mutex_lock(&b->lock);
        for (size_t i = 0; i < b->in.n; i++)
            fore_vec_push(&b->taken, b->in.at[i]);
        b->in.n = 0;
        pthread_mutex_unlock(&b->lock);
    }
    if (b->next == b->taken.n)
        return false;
    fore_strbuf_release(into);
    *into = b->taken.at[b->next++];
    return true;
}

static void wait_at_mailbox(struct fore_transport *t)
{
    struct mailbox *b = (struct mailbox *)t;
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&b->lock);
    if (!b->in.n)
        pthread_cond_timedwait(&b->filled, &b->lock, &until);
    pthread_mutex_unlock(&b->lock);
}

static int64_t none_lost(struct fore_transport *t)
{
    (void)t;
    return -1;
}

struct fore_mailboxes *fore_mailboxes_new(uint32_t ranks)
{
    struct fore_mailboxes *m = fore_calloc(1, sizeof *m);
    m->ranks = ranks;
    m->box = fore_calloc(ranks, sizeof *m->box);
    for (uint32_t i = 0; i < ranks; i++) {
        struct mailbox *b = &m->box[i];
        b->transport = (struct fore_transport){.rank = i,
                                               .ranks = ranks,
                                               .send = send_to_mailbox,
                                               .receive = receive_from_mailbox,
                                               .idle = wait_at_mailbox,
                                               .lost = none_lost};
        b->all = m;
        pthread_mutex_init(&b->lock, NULL);
        pthread_cond_init(&b->filled, NULL);
    }
    return m;
}

void fore_mailboxes_free(struct fore_mailboxes *m)
{
    for (uint32_t i = 0; i < m->ranks; i++) {
        struct mailbox *b = &m->box[i];
        for (size_t k = 0; k < b->in.n; k++)
            fore_strbuf_release(&b->in.at[k]);
        for (size_t k = b->next; k < b->taken.n; k++)
            fore_strbuf_release(&b->taken.at[k]);
        fore_vec_release(&b->in);
        fore_vec_release(&b->taken);
        pthread_mutex_destroy(&b->lock);
        pthread_cond_destroy(&b->filled);
    }
    fore_free(m->box);
    fore_free(m);
}

struct fore_transport *fore_mailboxes_rank(struct fore_mailboxes *m, uint32_t rank)
{
    return &m->box[rank].transport;
}
