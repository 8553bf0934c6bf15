/* Collector of [goscout], appendix D: many processes send one number each.
 * collector [PROCESSES] */
#include <foresee/csp.h>
#include <stdio.h>
#include <stdlib.h>

struct part {
    foresee_chan *x;
    int v;
};

static void collect(void *arg)
{
    struct part *p = arg;
    foresee_send(p->x, &p->v);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    foresee_chan *x = foresee_make(sizeof(int), 0);
    struct part *parts = malloc((size_t)n * sizeof *parts);
    long sum = 0;
    for (int i = 0; i < n; i++) {
        parts[i] = (struct part){x, i};
        foresee_go(collect, &parts[i]);
    }
    for (int i = 0; i < n; i++) {
        int v;
        foresee_recv(x, &v);
        sum += v;
    }
    printf("%ld\n", sum);
    return 0;
}
