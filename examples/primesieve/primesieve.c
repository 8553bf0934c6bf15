/* Primesieve of [goscout], appendix D: one process per prime, each lets through what its prime
 * does not divide.    primesieve [PRIMES] */
#include <foresee/csp.h>
#include <stdio.h>
#include <stdlib.h>

struct sieve {
    foresee_chan *in, *out;
    int prime;
};

static void generate(void *ch)
{
    for (int i = 2;; i++)
        foresee_send(ch, &i);
}

static void filter(void *arg)
{
    struct sieve *s = arg;
    for (;;) {
        int n;
        foresee_recv(s->in, &n);
        if (n % s->prime)
            foresee_send(s->out, &n);
    }
}

int main(int argc, char **argv)
{
    int primes = argc > 1 ? atoi(argv[1]) : 100;
    foresee_chan *ch = foresee_make(sizeof(int), 0);
    int prime = 0;
    foresee_go(generate, ch);
    for (int i = 0; i < primes; i++) {
        struct sieve *s = malloc(sizeof *s);
        foresee_recv(ch, &prime);
        *s = (struct sieve){ch, foresee_make(sizeof(int), 0), prime};
        foresee_go(filter, s);
        ch = s->out;
    }
    printf("%d\n", prime);
    return 0;
}
