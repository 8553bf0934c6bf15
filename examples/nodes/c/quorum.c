/* A register on majorities: a write is stored by most nodes, a read takes the newest of most.
 * With --no-write-back a read does not store what it has found. */
#include "node.h"

struct version {
    long number;
    char by[16];
    long value; /* 0: none */
};

static struct version stored;

/* What this node asks the others for, one for each request of a client. */
enum stage { FETCH_TO_WRITE, STORE_TO_WRITE, FETCH_TO_READ, STORE_TO_READ, OVER };
static struct asking {
    enum stage stage;
    int answers;
    struct version best;
    char client[16];
    long id, value;
} asking[64];
static int askings, write_back = 1;

static int is_newer(const struct version *a, const struct version *b)
{
    return a->number != b->number ? a->number > b->number : strcmp(a->by, b->by) > 0;
}

static void ask_all(int k, const char *type, const struct version *v);

static void take_answer(int k, const struct version *v)
{
    struct asking *q = &asking[k];
    if (q->stage == OVER)
        return;
    if (is_newer(v, &q->best))
        q->best = *v;
    if (++q->answers != nodes / 2 + 1)
        return;
    if (q->stage == FETCH_TO_WRITE) {
        struct version mine = {q->best.number + 1, "", q->value};
        strcpy(mine.by, me);
        q->stage = STORE_TO_WRITE;
        ask_all(k, "store", &mine);
    } else if (q->stage == FETCH_TO_READ && write_back && q->best.number) {
        struct version best = q->best;
        q->stage = STORE_TO_READ;
        ask_all(k, "store", &best);
    } else {
        if (q->stage == STORE_TO_WRITE)
            SEND(q->client, "\"type\":\"write_ok\",\"in_reply_to\":%ld", q->id);
        else if (q->best.number)
            SEND(q->client, "\"type\":\"read_ok\",\"value\":%ld,\"in_reply_to\":%ld",
                 q->best.value, q->id);
        else
            SEND(q->client, "\"type\":\"error\",\"code\":20,\"in_reply_to\":%ld", q->id);
        q->stage = OVER;
    }
}

static void ask_all(int k, const char *type, const struct version *v)
{
    asking[k].answers = 0;
    if (!strcmp(type, "store") && is_newer(v, &stored))
        stored = *v;
    for (int i = 1; i <= nodes; i++) {
        char who[16];
        snprintf(who, sizeof who, "n%d", i);
        if (strcmp(who, me) != 0)
            SEND(who,
                 "\"type\":\"%s\",\"asking\":%d,\"stage\":%d,\"number\":%ld,\"by\":\"%s\","
                 "\"value\":%ld",
                 type, k, (int)asking[k].stage, v->number, v->by, v->value);
    }
    take_answer(k, &stored);
}

static void on_client(enum stage stage)
{
    struct asking *q = &asking[askings];
    *q = (struct asking){.stage = stage, .id = number("msg_id"), .value = number("value")};
    text("src", q->client, sizeof q->client);
    ask_all(askings++, "fetch", &(struct version){0, "", 0});
}

int main(int argc, char **argv)
{
    write_back = !(argc > 1 && !strcmp(argv[1], "--no-write-back"));
    while (next_message()) {
        struct version v = {number("number"), "", number("value")};
        char from[64];
        text("by", v.by, sizeof v.by);
        text("src", from, sizeof from);
        if (is_type("read")) {
            on_client(FETCH_TO_READ);
        } else if (is_type("write")) {
            on_client(FETCH_TO_WRITE);
        } else if (is_type("answer")) {
            int k = (int)number("asking");
            if (asking[k].stage == (enum stage)number("stage"))
                take_answer(k, &v);
        } else {
            if (is_type("store") && is_newer(&v, &stored))
                stored = v;
            SEND(from,
                 "\"type\":\"answer\",\"asking\":%ld,\"stage\":%ld,\"number\":%ld,"
                 "\"by\":\"%s\",\"value\":%ld",
                 number("asking"), number("stage"), stored.number, stored.by, stored.value);
        }
    }
    return 0;
}
