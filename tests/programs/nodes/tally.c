/* A node of the tests that adds up what clients bring: in all nodes' memory, or in a service of Maelstrom.
 *
 *   tally tell          tells the other nodes what is added, once, and does not know one message from its copy
 *   tally tell state    and says what its state is when it is asked (foresee_state)
 *   tally circle state  answers nobody, and sends itself a message for each that it gets
 *   tally SERVICE write reads the sum from the service, and writes it back
 *   tally SERVICE cas   and writes it back only if nobody else has in between, else reads again */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char line[65536], me[16] = "n0", service[32];
static int nodes, tells_state, swaps, circle;
static long sum;

static const char *find(const char *key)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(line, quoted);
    return at ? at + strlen(quoted) : "";
}

static long number(const char *key)
{
    return strtol(find(key), NULL, 10);
}

static int is_type(const char *type)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\"", type);
    return !strncmp(find("type"), quoted, strlen(quoted));
}

#define SAY(dest, ...)                                                                   \
    (printf("{\"src\":\"%s\",\"dest\":\"%s\",\"body\":{", me, dest), printf(__VA_ARGS__), printf("}}\n"))

/* A question to the service, and for whom it is asked. */
static struct {
    char client[32];
    long msg_id, delta, read;
    int is_read, open;
} asked[100];
static int questions = 1;

static void ask_service(int i)
{
    asked[i].open = 1;
    SAY(service, "\"type\":\"read\",\"key\":\"sum\",\"msg_id\":%d", i);
}

static void hear_service(void)
{
    int i = (int)number("in_reply_to"), missing = is_type("error") && number("code") == 20;
    if (!asked[i].open)
        return;
    if (is_type("read_ok") || missing) {
        asked[i].read = missing ? 0 : number("value");
        if (asked[i].is_read) {
            SAY(asked[i].client, "\"type\":\"read_ok\",\"value\":%ld,\"in_reply_to\":%ld", asked[i].read, asked[i].msg_id);
            asked[i].open = 0;
        } else if (swaps) {
            SAY(service, "\"type\":\"cas\",\"key\":\"sum\",\"from\":%ld,\"to\":%ld,\"create_if_not_exists\":true,\"msg_id\":%d",
                asked[i].read, asked[i].read + asked[i].delta, i);
        } else {
            SAY(service, "\"type\":\"write\",\"key\":\"sum\",\"value\":%ld,\"msg_id\":%d", asked[i].read + asked[i].delta, i);
        }
    } else if (is_type("write_ok") || is_type("cas_ok")) {
        SAY(asked[i].client, "\"type\":\"add_ok\",\"in_reply_to\":%ld", asked[i].msg_id);
        asked[i].open = 0;
    } else {
        ask_service(i);
    }
}

static void hear_client(const char *client)
{
    if (service[0]) {
        int i = questions++;
        snprintf(asked[i].client, sizeof asked[i].client, "%s", client);
        asked[i].msg_id = number("msg_id");
        asked[i].delta = number("delta");
        asked[i].is_read = is_type("read");
        ask_service(i);
    } else if (is_type("read")) {
        SAY(client, "\"type\":\"read_ok\",\"value\":%ld,\"in_reply_to\":%ld", sum, number("msg_id"));
    } else {
        sum += number("delta");
        for (int i = 1; i <= nodes; i++) {
            char other[16];
            snprintf(other, sizeof other, "n%d", i);
            if (strcmp(other, me) != 0)
                SAY(other, "\"type\":\"more\",\"delta\":%ld", number("delta"));
        }
        SAY(client, "\"type\":\"add_ok\",\"in_reply_to\":%ld", number("msg_id"));
    }
}

int main(int argc, char **argv)
{
    tells_state = argc > 2 && !strcmp(argv[2], "state");
    swaps = argc > 2 && !strcmp(argv[2], "cas");
    circle = argc > 1 && !strcmp(argv[1], "circle");
    if (argc > 2 && !tells_state)
        snprintf(service, sizeof service, "%s", argv[1]);
    while (fgets(line, sizeof line, stdin)) {
        char from[32];
        snprintf(from, sizeof from, "%.*s", (int)strcspn(find("src") + 1, "\""), find("src") + 1);
        if (is_type("init")) {
            snprintf(me, sizeof me, "n%ld", strtol(find("node_id") + 2, NULL, 10));
            for (const char *at = find("node_ids"); *at && *at != ']'; at++)
                nodes += *at == 'n';
            SAY(from, "\"type\":\"init_ok\",\"foresee_state\":%s,\"in_reply_to\":%ld", tells_state ? "true" : "false",
                number("msg_id"));
        } else if (is_type("foresee_state")) {
            SAY(from, "\"type\":\"foresee_state_ok\",\"state\":%ld,\"in_reply_to\":%ld", sum, number("msg_id"));
        } else if (circle) {
            SAY(me, "\"type\":\"again\"");
        } else if (is_type("more")) {
            sum += number("delta");
        } else if (from[0] == 'c') {
            hear_client(from);
        } else {
            hear_service();
        }
        fflush(stdout);
    }
    return 0;
}
