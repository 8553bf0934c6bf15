/* Connections that set, get, count and delete keys of a memcached at once, each its own and some that all share, for so many
 * rounds; what comes back is checked. Then the server is asked how many it had.
 *   load_memcached PORT CONNECTIONS ROUNDS */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int port, rounds;

static void fail(const char *what, const char *got)
{
    fprintf(stderr, "load_memcached: %s: %s\n", what, got);
    exit(1);
}

static FILE *connect_to_server(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((unsigned short)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    for (int again = 0; again < 600; again++) {
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        if (fd >= 0 && !connect(fd, (struct sockaddr *)&at, sizeof at))
            return fdopen(fd, "r+");
        close(fd);
        usleep(100000);
    }
    fail("nobody listens", "");
    return NULL;
}

/* Sends a command and reads one line of the answer. */
static void ask(FILE *s, const char *command, char answer[256])
{
    fputs(command, s);
    fflush(s);
    fseek(s, 0, SEEK_CUR); /* from writing to reading */
    if (!fgets(answer, 256, s))
        fail(command, "no answer");
}

static void expect(FILE *s, const char *command, const char *expected)
{
    char answer[256];
    ask(s, command, answer);
    if (strncmp(answer, expected, strlen(expected)) != 0)
        fail(command, answer);
}

static void *load(void *number)
{
    int me = (int)(long)number;
    char command[256], answer[256], value[64];
    FILE *s = connect_to_server();
    for (int i = 0; i < rounds; i++) {
        snprintf(command, sizeof command, "set own-%d-%d 0 0 8\r\n%08d\r\n", me, i % 50, i);
        expect(s, command, "STORED");
        snprintf(command, sizeof command, "get own-%d-%d\r\n", me, i % 50);
        expect(s, command, "VALUE");
        snprintf(value, sizeof value, "%08d\r\n", i);
        if (!fgets(answer, sizeof answer, s) || strcmp(answer, value) != 0 ||
            !fgets(answer, sizeof answer, s) || strcmp(answer, "END\r\n") != 0)
            fail("get", answer);
        fseek(s, 0, SEEK_CUR);
        expect(s, "incr counter 1\r\n", "");
        snprintf(command, sizeof command, "set shared-%d 0 0 4\r\nabcd\r\n", i % 7);
        expect(s, command, "STORED");
        snprintf(command, sizeof command, "delete shared-%d\r\n", (i + me) % 7);
        ask(s, command, answer);
        if (i % 20 == 19) {
            ask(s, "stats\r\n", answer);
            while (strcmp(answer, "END\r\n") != 0 && fgets(answer, sizeof answer, s))
                continue;
            fseek(s, 0, SEEK_CUR);
        }
    }
    fclose(s);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[64];
    char answer[256], command[64];
    if (argc != 4 || atoi(argv[2]) > 64)
        return 2;
    port = atoi(argv[1]);
    rounds = atoi(argv[3]);
    FILE *s = connect_to_server();
    expect(s, "set counter 0 0 1\r\n0\r\n", "STORED");
    for (long i = 0; i < atoi(argv[2]); i++)
        pthread_create(&threads[i], NULL, load, (void *)i);
    for (long i = 0; i < atoi(argv[2]); i++)
        pthread_join(threads[i], NULL);
    snprintf(command, sizeof command, "%d\r\n", atoi(argv[2]) * rounds + 1);
    ask(s, "incr counter 1\r\n", answer);
    if (strcmp(answer, command) != 0)
        fail("counter", answer);
    printf("counted %s", answer);
    return 0;
}
