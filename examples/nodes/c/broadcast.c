/* Tells everybody what it is told. With --lossy it tells only one other. */
#include "node.h"

static long known[64];
static int n_known;

static int learn(long value)
{
    for (int i = 0; i < n_known; i++)
        if (known[i] == value)
            return 0;
    if (n_known < 64)
        known[n_known++] = value;
    return 1;
}

static void tell_others(long value, const char *source, int most)
{
    for (int i = 1; i <= nodes && most; i++) {
        char who[16];
        snprintf(who, sizeof who, "n%d", i);
        if (!strcmp(who, me))
            continue;
        most--;
        if (strcmp(who, source) != 0)
            SEND(who, "\"type\":\"gossip\",\"value\":%ld", value);
    }
}

static void tell_all_known(const char *to)
{
    char list[2048] = "";
    size_t n = 0;
    for (int i = 0; i < n_known && n < sizeof list - 32; i++)
        n += (size_t)snprintf(list + n, sizeof list - n, "%s%ld", i ? "," : "", known[i]);
    SEND(to, "\"type\":\"read_ok\",\"in_reply_to\":%ld,\"messages\":[%s]", number("msg_id"),
         list);
}

int main(int argc, char **argv)
{
    int most = argc > 1 && !strcmp(argv[1], "--lossy") ? 1 : -1;
    while (next_message()) {
        char from[64];
        text("src", from, sizeof from);
        if (is_type("gossip")) {
            long value = number("value");
            if (learn(value))
                tell_others(value, from, most);
        } else if (is_type("broadcast")) {
            long value = number("message");
            SEND(from, "\"type\":\"broadcast_ok\",\"in_reply_to\":%ld", number("msg_id"));
            if (learn(value))
                tell_others(value, from, most);
        } else if (is_type("read")) {
            tell_all_known(from);
        }
    }
    return 0;
}
