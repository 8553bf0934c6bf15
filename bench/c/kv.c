/* A key-value server and who loads it.
 *   kv serve PORT SECONDS [bugs]     kv load PORT SECONDS CONNECTIONS
 * A thread for each connection; buckets under striped locks, entries that are allocated by one thread
 * and freed by another, a log that a queue of pointers carries to a thread of its own. With `bugs`: some
 * hits are also counted without a lock. */
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUCKETS = 1024, STRIPES = 16, MOST = 64 };

struct entry {
    struct entry *next;
    char key[24], value[40];
    unsigned used;
};

struct note {
    struct note *next;
    char text[32];
};

static struct {
    pthread_mutex_t lock;
    long hits, misses;
} stripes[STRIPES];
static struct entry *buckets[BUCKETS];

static struct {
    pthread_mutex_t lock;
    pthread_cond_t some;
    struct note *first, *last;
    long written;
} notes = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, 0};

static int bugs;
static atomic_int over;
static long unlocked_hits;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static unsigned hash(const char *key)
{
    unsigned h = 2166136261u;
    for (; *key; key++)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

static void take_note(const char *text)
{
    struct note *n = calloc(1, sizeof *n);
    snprintf(n->text, sizeof n->text, "%s", text);
    pthread_mutex_lock(&notes.lock);
    if (notes.last)
        notes.last->next = n;
    else
        notes.first = n;
    notes.last = n;
    pthread_cond_signal(&notes.some);
    pthread_mutex_unlock(&notes.lock);
}

static void *write_notes(void *unused)
{
    pthread_mutex_lock(&notes.lock);
    while (!atomic_load(&over) || notes.first) {
        struct note *n = notes.first;
        if (!n) {
            pthread_cond_wait(&notes.some, &notes.lock);
            continue;
        }
        notes.first = n->next;
        if (!notes.first)
            notes.last = NULL;
        notes.written += (long)strlen(n->text);
        free(n);
    }
    pthread_mutex_unlock(&notes.lock);
    return unused;
}

static void set(const char *key, const char *value)
{
    unsigned h = hash(key) % BUCKETS;
    struct entry *e = calloc(1, sizeof *e), *old = NULL;
    snprintf(e->key, sizeof e->key, "%s", key);
    snprintf(e->value, sizeof e->value, "%s", value);
    pthread_mutex_lock(&stripes[h % STRIPES].lock);
    struct entry **at = &buckets[h];
    while (*at && strcmp((*at)->key, key))
        at = &(*at)->next;
    if (*at) {
        old = *at;
        e->next = old->next;
    }
    *at = e;
    pthread_mutex_unlock(&stripes[h % STRIPES].lock);
    free(old);
}

static int get(const char *key, char *value, size_t size)
{
    unsigned h = hash(key) % BUCKETS;
    int found = 0;
    pthread_mutex_lock(&stripes[h % STRIPES].lock);
    for (struct entry *e = buckets[h]; e && !found; e = e->next)
        if (!strcmp(e->key, key)) {
            snprintf(value, size, "%s", e->value);
            e->used++;
            found = 1;
        }
    stripes[h % STRIPES].hits += found;
    stripes[h % STRIPES].misses += !found;
    pthread_mutex_unlock(&stripes[h % STRIPES].lock);
    if (bugs && h % 8 == 5)
        unlocked_hits++;
    return found;
}

static void answer(int fd, char *line)
{
    char key[24], value[40], out[128];
    int n;
    if (sscanf(line, "set %23s %39s", key, value) == 2) {
        set(key, value);
        take_note(key);
        n = snprintf(out, sizeof out, "stored\n");
    } else if (sscanf(line, "get %23s", key) == 1) {
        n = get(key, value, sizeof value) ? snprintf(out, sizeof out, "value %s\n", value)
                                          : snprintf(out, sizeof out, "none\n");
    } else {
        n = snprintf(out, sizeof out, "what?\n");
    }
    if (write(fd, out, (size_t)n) != n)
        return;
}

static void *serve_one(void *arg)
{
    int fd = (int)(long)arg;
    char line[256];
    size_t n = 0;
    for (ssize_t got; (got = read(fd, line + n, sizeof line - 1 - n)) > 0;) {
        n += (size_t)got;
        line[n] = 0;
        for (char *end; (end = strchr(line, '\n'));) {
            *end = 0;
            answer(fd, line);
            n -= (size_t)(end + 1 - line);
            memmove(line, end + 1, n + 1);
        }
    }
    close(fd);
    return NULL;
}

static int open_socket(int port, int serves)
{
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_port = htons((unsigned short)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0), yes = 1;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (serves ? bind(fd, (struct sockaddr *)&a, sizeof a) || listen(fd, MOST)
               : connect(fd, (struct sockaddr *)&a, sizeof a)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int serve(int port, double seconds)
{
    pthread_t threads[MOST], writer;
    struct timeval tick = {0, 200000};
    int n = 0, fd = open_socket(port, 1);
    if (fd < 0)
        return 1;
    for (int i = 0; i < STRIPES; i++)
        pthread_mutex_init(&stripes[i].lock, NULL);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof tick);
    pthread_create(&writer, NULL, write_notes, NULL);
    for (double until = now() + seconds; now() < until;) {
        int client = accept(fd, NULL, NULL);
        if (client >= 0 && n < MOST)
            pthread_create(&threads[n++], NULL, serve_one, (void *)(long)client);
    }
    for (int i = 0; i < n; i++)
        pthread_join(threads[i], NULL);
    atomic_store(&over, 1);
    pthread_mutex_lock(&notes.lock);
    pthread_cond_signal(&notes.some);
    pthread_mutex_unlock(&notes.lock);
    pthread_join(writer, NULL);
    long hits = 0;
    for (int i = 0; i < STRIPES; i++)
        hits += stripes[i].hits;
    printf("served %ld hits, %ld bytes of notes\n", hits, notes.written);
    return 0;
}

static double load_until;
static int load_port;
static atomic_long asked;

static void *load_one(void *arg)
{
    unsigned seed = (unsigned)(long)arg * 7919u + 1;
    char line[128];
    int fd = -1;
    for (int i = 0; i < 100 && (fd = open_socket(load_port, 0)) < 0; i++)
        usleep(100000);
    while (fd >= 0 && now() < load_until) {
        unsigned key = rand_r(&seed) % 2000;
        int n = rand_r(&seed) % 10
                    ? snprintf(line, sizeof line, "get key%u\n", key)
                    : snprintf(line, sizeof line, "set key%u %u\n", key, rand_r(&seed));
        if (write(fd, line, (size_t)n) != n || read(fd, line, sizeof line) <= 0)
            break;
        atomic_fetch_add(&asked, 1);
    }
    close(fd);
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int port = atoi(argv[2]);
    double seconds = atof(argv[3]);
    bugs = argc > 4 && !strcmp(argv[4], "bugs");
    if (!strcmp(argv[1], "serve"))
        return serve(port, seconds);
    pthread_t threads[MOST];
    int n = argc > 4 ? atoi(argv[4]) : 4;
    load_until = now() + seconds;
    load_port = port;
    for (long i = 0; i < n && i < MOST; i++)
        pthread_create(&threads[i], NULL, load_one, (void *)i);
    for (int i = 0; i < n && i < MOST; i++)
        pthread_join(threads[i], NULL);
    printf("asked %ld times, %.0f a second\n", atomic_load(&asked),
           (double)atomic_load(&asked) / seconds);
    return 0;
}
