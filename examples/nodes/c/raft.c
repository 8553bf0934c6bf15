/* Raft as a node: a register that a majority of nodes keeps. The protocol is that of
 * examples/actors/raft/raft.c, which foresee also explores as an actor system; here its messages
 * are lines of JSON, and what has to survive a crash is in a file, which is written before anything
 * is sent. Node 1 leads at first; a node that hears nothing for a second stands for election.
 *
 * --elects 2,3   only these nodes stand for election, once
 * Compiled with -DFORGETS, a node forgets whom it voted for when it crashes, and may vote twice. */
#include "../../actors/raft/raft.c"

#include "node.h"

#include <poll.h>
#include <unistd.h>

static struct server self;
static struct foresee host;
static const char *elects; /* NULL: all of them */
static int stood;          /* for election, in this life */

/* A client that waits for an answer, as the protocol carries it: whose, and to which message. */
enum { MESSAGES = 1000000 };

static int64_t client_of(const char *name, long msg_id)
{
    return -(strtoll(name + 1, NULL, 10) * MESSAGES + msg_id);
}

/* Sending. */

static void say(struct foresee *f, int64_t to, size_t n, const int64_t *v)
{
    char name[32];
    (void)f;
    if (to > 0) {
        snprintf(name, sizeof name, "n%lld", (long long)to);
        printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"raft\",\"fields\":[", me, name);
        for (size_t i = 0; i < n; i++)
            printf("%s%lld", i ? "," : "", (long long)v[i]);
        printf("]}}\n");
        return;
    }
    snprintf(name, sizeof name, "c%lld", (long long)(-to / MESSAGES));
    if (v[0] == WRITTEN)
        WRITE_MESSAGE(name, "\"type\":\"write_ok\",\"in_reply_to\":%lld", (long long)(-to % MESSAGES));
    else
        WRITE_MESSAGE(name, "\"type\":\"read_ok\",\"value\":%lld,\"in_reply_to\":%lld", (long long)v[1],
             (long long)(-to % MESSAGES));
}

static void give_up(struct foresee *f, const char *why)
{
    (void)f;
    fprintf(stderr, "%s\n", why);
    exit(1);
}

static const struct foresee_actor_ops ops = {say, NULL, give_up};

/* What is on disk. */

static void keep(void)
{
    FILE *f = fopen("raft.new", "w");
    if (!f || fwrite(&self, sizeof self, 1, f) != 1 || fflush(f) || fsync(fileno(f)) || fclose(f) ||
        rename("raft.new", "raft"))
        give_up(&host, "cannot write what has to survive a crash");
}

static void begin(void)
{
    FILE *f = fopen("raft", "r");
    host = (struct foresee){&ops, strtoll(me + 1, NULL, 10), nodes};
    if (f && fread(&self, sizeof self, 1, f) == 1)
        restart(&host, &self);
    else
        start(&host, &self, NULL);
    if (f)
        fclose(f);
}

/* A handler runs; what it wants to send waits in the buffer of stdout until the file is written. */
static void handle(const struct foresee_received *m)
{
    server_on[m->kind](&host, &self, m);
    keep();
    fflush(stdout);
}

/* All that what comes next depends on. Then foresee need not explore the same state twice. */
static void tell_state(const char *to)
{
    const unsigned char *bytes = (const unsigned char *)&self;
    printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{\"type\":\"foresee_state_ok\",\"in_reply_to\":%ld,"
           "\"state\":\"%d ", me, to, number("msg_id"), stood);
    for (size_t i = 0; i < sizeof self; i++)
        printf("%02x", bytes[i]);
    printf("\"}}\n");
    fflush(stdout);
}

static void receive(void)
{
    struct foresee_received m = {.to = host.self};
    char from[64];
    text("src", from, sizeof from);
    if (is_type("foresee_state")) {
        tell_state(from);
        return;
    }
    m.from = strtoll(from + 1, NULL, 10);
    if (is_type("raft")) {
        const char *at = strchr(member("fields"), '[') + 1;
        char *end;
        m.kind = (uint32_t)strtol(at, &end, 10);
        while (*end == ',' && m.fields < FORESEE_FIELDS)
            m.field[m.fields++] = strtoll(end + 1, &end, 10);
    } else {
        int64_t client = client_of(from, number("msg_id"));
        m.from = -m.from;
        m.kind = is_type("write") ? WRITE : READ;
        m.field[0] = m.kind == WRITE ? number("value") : client;
        m.field[1] = m.kind == WRITE ? client : 0;
    }
    handle(&m);
}

static int may_stand(void)
{
    if (!me[0] || self.role == LEADER)
        return 0;
    return elects ? !stood && strchr(elects, me[1]) != NULL : 1;
}

int main(int argc, char **argv)
{
    struct pollfd in = {STDIN_FILENO, POLLIN, 0};
    elects = argc > 2 && !strcmp(argv[1], "--elects") ? argv[2] : NULL;
    promise = ",\"foresee_state\":true";
    setvbuf(stdin, NULL, _IONBF, 0); /* what poll does not see is not there */
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    for (;;) {
        if (poll(&in, 1, may_stand() ? 1000 : -1) == 0) {
            struct foresee_received timeout = {.from = host.self, .to = host.self, .kind = TIMEOUT};
            stood = 1;
            handle(&timeout);
            continue;
        }
        switch (read_message()) {
        case THE_END:
            return 0;
        case A_MESSAGE:
            receive();
            break;
        case A_START:
            if (!host.ops)
                begin();
        }
    }
}
