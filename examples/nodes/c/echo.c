/* Answers with what it is asked. With --wrong it answers what it was asked first, always. */
#include "node.h"

int main(int argc, char **argv)
{
    int wrong = argc > 1 && !strcmp(argv[1], "--wrong"), asked = 0;
    long first = 0;
    while (next_message()) {
        char from[64];
        long value = number("echo");
        first = asked++ ? first : value;
        SEND(text("src", from, sizeof from),
             "\"type\":\"echo_ok\",\"echo\":%ld,\"in_reply_to\":%ld", wrong ? first : value,
             number("msg_id"));
    }
    return 0;
}
