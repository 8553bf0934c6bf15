/* A transport between the processes of an MPI job. Nothing waits in a send: buffers are kept until
 * MPI is done with them. A rank that has nothing to do sleeps for a moment between looks, longer
 * and longer, so that ranks that share a processor leave it to those that work. */
#include "explore/mpi.h"
#include "base/mem.h"
#include "base/vec.h"

#include <mpi.h>
#include <time.h>

#define TAG 1
#define NAP_LEAST_NS 20000
#define NAP_MOST_NS 1000000

struct rank_parcel {
    MPI_Request request;
    char *at;
};

struct rank_link {
    struct fore_transport transport;  /* first: what the search holds */
    FORE_VEC(struct rank_parcel) out; /* not yet taken over by MPI */
    long nap;
};

static void forget_delivered(struct rank_link *l)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->out.n; i++) {
        int done = 0;
        MPI_Test(&l->out.at[i].request, &done, MPI_STATUS_IGNORE);
        if (done)
            fore_free(l->out.at[i].at);
        else
            l->out.at[kept++] = l->out.at[i];
    }
    l->out.n = kept;
}

static void send_parcel(struct fore_transport *t, uint32_t to, const char *at, size_t n)
{
    struct rank_link *l = (struct rank_link *)t;
    struct rank_parcel p = {.at = fore_alloc(n)};
    memcpy(p.at, at, n);
    MPI_Isend(p.at, (int)n, MPI_BYTE, (int)to, TAG, MPI_COMM_WORLD, &p.request);
    fore_vec_push(&l->out, p);
    if (l->out.n % 64 == 0)
        forget_delivered(l);
}

static bool receive_parcel(struct fore_transport *t, struct fore_strbuf *into)
{
    struct rank_link *l = (struct rank_link *)t;
    int there = 0, n = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &status);
    if (!there)
        return false;
    MPI_Get_count(&status, MPI_BYTE, &n);
    fore_strbuf_clear(into);
    MPI_Recv(fore_strbuf_extend(into, (size_t)n), n, MPI_BYTE, status.MPI_SOURCE, TAG,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    l->nap = 0;
    return true;
}

static void take_a_nap(struct fore_transport *t)
{
    struct rank_link *l = (struct rank_link *)t;
    forget_delivered(l);
    l->nap = l->nap ? l->nap * 2 : NAP_LEAST_NS;
    l->nap = l->nap < NAP_MOST_NS ? l->nap : NAP_MOST_NS;
    nanosleep(&(struct timespec){0, l->nap}, NULL);
}

/* MPI itself ends the whole job when a rank dies. */
static int64_t nobody_lost(struct fore_transport *t)
{
    (void)t;
    return -1;
}

static struct fore_transport *open_link(void)
{
    int rank, ranks;
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS)
        return NULL;
    struct rank_link *l = fore_calloc(1, sizeof *l);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    l->transport = (struct fore_transport){.rank = (uint32_t)rank,
                                           .ranks = (uint32_t)ranks,
                                           .send = send_parcel,
                                           .receive = receive_parcel,
                                           .idle = take_a_nap,
                                           .lost = nobody_lost};
    return &l->transport;
}

static void close_link(struct fore_transport *t)
{
    struct rank_link *l = (struct rank_link *)t;
    while (l->out.n)
        take_a_nap(t);
    MPI_Finalize();
    fore_vec_release(&l->out);
    fore_free(l);
}

const struct fore_mpi_plugin fore_mpi_plugin = {sizeof fore_mpi_plugin, open_link,
                                                close_link};
