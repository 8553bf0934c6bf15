/* What zopfli does most: for each position of a text, all matches before it are tried along chains of equal hashes, and a
 * cheapest way through the lengths is computed. Each thread has a text and tables of its own. No kernel of the reference. */
#include "kernel.h"

#include <string.h>

enum { WINDOW = 32768, HASHES = 32768, LONGEST = 258, SHORTEST = 3, TEXT = 60000 };

struct state {
    unsigned char text[TEXT];
    int head[HASHES], before[WINDOW];
    unsigned short length[TEXT], distance[TEXT];
    float cost[TEXT + 1];
    unsigned short step[TEXT + 1];
};

static long rounds;
static uint64_t results[THREADS];

static uint32_t next(uint32_t *x)
{
    *x ^= *x << 13;
    *x ^= *x >> 17;
    *x ^= *x << 5;
    return *x;
}

/* Words of a small vocabulary, so that there are matches of all lengths. */
static void fill(struct state *s, uint32_t x)
{
    for (int i = 0; i < TEXT;) {
        uint32_t word = next(&x) % 400;
        for (uint32_t k = 0, n = 2 + word % 7; k < n && i < TEXT; k++)
            s->text[i++] = (unsigned char)('a' + (word * (k + 3) >> 2) % 26);
        if (i < TEXT)
            s->text[i++] = ' ';
    }
}

static unsigned hash_at(const unsigned char *p)
{
    return (p[0] << 10 ^ p[1] << 5 ^ p[2]) & (HASHES - 1);
}

static int match(const unsigned char *a, const unsigned char *b, int most)
{
    int n = 0;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static void find_longest(struct state *s, int i)
{
    int most = TEXT - i < LONGEST ? TEXT - i : LONGEST, best = 0;
    int tries = 200;
    for (int j = s->head[hash_at(&s->text[i])]; j >= 0 && i - j < WINDOW && tries--;
         j = s->before[j % WINDOW]) {
        if (best && s->text[j + best] != s->text[i + best])
            continue;
        int n = match(&s->text[j], &s->text[i], most);
        if (n > best) {
            best = n;
            s->distance[i] = (unsigned short)(i - j);
            if (n == most)
                break;
        }
    }
    s->length[i] = (unsigned short)best;
}

static void find_matches(struct state *s)
{
    memset(s->head, -1, sizeof s->head);
    memset(s->before, -1, sizeof s->before);
    for (int i = 0; i + SHORTEST < TEXT; i++) {
        find_longest(s, i);
        unsigned h = hash_at(&s->text[i]);
        s->before[i % WINDOW] = s->head[h];
        s->head[h] = i;
    }
}

/* The cheapest sequence of literals and matches. */
static uint64_t find_way(struct state *s)
{
    for (int i = 1; i <= TEXT; i++)
        s->cost[i] = 1e30f;
    s->cost[0] = 0;
    for (int i = 0; i < TEXT; i++) {
        float one = s->cost[i] + 8.5f, many = s->cost[i] + 12 + s->distance[i] / 4096.0f;
        if (one < s->cost[i + 1])
            s->cost[i + 1] = one, s->step[i + 1] = 1;
        for (int n = SHORTEST; n <= s->length[i]; n++)
            if (many < s->cost[i + n])
                s->cost[i + n] = many, s->step[i + n] = (unsigned short)n;
    }
    uint64_t symbols = 0;
    for (int i = TEXT; i > 0; i -= s->step[i])
        symbols++;
    return symbols;
}

static void *work(void *argument)
{
    int self = *(int *)argument;
    struct state *s = calloc(1, sizeof *s);
    if (!s)
        exit(1);
    for (long i = 0; i < rounds; i++) {
        fill(s, (uint32_t)(i * THREADS + self + 1));
        memset(s->length, 0, sizeof s->length);
        find_matches(s);
        results[self] += find_way(s);
    }
    free(s);
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = kernel_size(argc, argv, 40);
    if (kernel_run(work))
        return 1;
    printf("%llu\n", (unsigned long long)(results[0] + results[1]));
    return 0;
}
