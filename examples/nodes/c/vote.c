/* Who leads? A client asks a node to lead (`cas` of no value to the client's); the node asks all for
 * their vote, and leads if most gave it. A vote is written to a file before it is given, so that a
 * node which crashed and came back remembers it. With --volatile it does not, and may vote twice. */
#include "node.h"

#include <unistd.h>

static long voted;  /* the node that has our vote; 0: nobody yet */
static long asks;   /* the request of our client that waits for the votes; 0: none */
static char client[16];
static int yes, no, lasting = 1;

static void keep(void)
{
    FILE *f = lasting ? fopen("vote.new", "w") : NULL;
    if (!f)
        return;
    fprintf(f, "%ld %ld %s\n", voted, asks, client[0] ? client : "-");
    fflush(f);
    fsync(fileno(f));
    fclose(f);
    rename("vote.new", "vote");
}

static void remember(void)
{
    FILE *f = fopen("vote", "r");
    if (f && fscanf(f, "%ld %ld %15s", &voted, &asks, client) != 3)
        voted = asks = 0;
    if (f)
        fclose(f);
}

static long own_number(void)
{
    return strtol(me + 1, NULL, 10);
}

static void count_vote(int given)
{
    yes += given;
    no += !given;
    if (!asks || (yes <= nodes / 2 && no <= nodes / 2))
        return;
    if (yes > nodes / 2)
        SEND(client, "\"type\":\"cas_ok\",\"in_reply_to\":%ld", asks);
    else
        SEND(client, "\"type\":\"error\",\"code\":22,\"in_reply_to\":%ld", asks);
    asks = 0;
    keep();
}

static void ask_for_votes(void)
{
    yes = no = 0;
    if (!voted)
        voted = own_number();
    keep();
    for (int i = 1; i <= nodes; i++) {
        char who[16];
        snprintf(who, sizeof who, "n%d", i);
        if (strcmp(who, me) != 0)
            SEND(who, "\"type\":\"vote?\"");
    }
    count_vote(voted == own_number());
}

int main(int argc, char **argv)
{
    char from[64];
    int resumed = 0;
    lasting = !(argc > 1 && !strcmp(argv[1], "--volatile"));
    if (lasting)
        remember();
    while (next_message()) {
        text("src", from, sizeof from);
        if (asks && !resumed) /* what a crash cut short */
            ask_for_votes();
        resumed = 1;
        if (is_type("cas")) {
            asks = number("msg_id");
            snprintf(client, sizeof client, "%.15s", from);
            ask_for_votes();
        } else if (is_type("vote?")) {
            if (!voted)
                voted = strtol(from + 1, NULL, 10);
            keep();
            SEND(from, "\"type\":\"vote\",\"for\":%ld", voted);
        } else if (is_type("vote")) {
            count_vote(number("for") == own_number());
        }
    }
    return 0;
}
