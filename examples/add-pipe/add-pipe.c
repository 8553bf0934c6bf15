/* Add-Pipe of [goscout], appendix D: a chain of processes that each add one.
 * add-pipe [STAGES] [NUMBERS] */
#include <foresee/csp.h>
#include <stdio.h>
#include <stdlib.h>

struct stage {
    foresee_chan *in, *out;
};

static void add1(void *arg)
{
    struct stage *s = arg;
    for (;;) {
        int n;
        foresee_recv(s->in, &n);
        n++;
        foresee_send(s->out, &n);
    }
}

static foresee_chan *add_stage(foresee_chan *in)
{
    struct stage *s = malloc(sizeof *s);
    *s = (struct stage){in, foresee_make(sizeof(int), 0)};
    foresee_go(add1, s);
    return s->out;
}

int main(int argc, char **argv)
{
    int stages = argc > 1 ? atoi(argv[1]) : 20;
    int numbers = argc > 2 ? atoi(argv[2]) : 1000;
    foresee_chan *in = foresee_make(sizeof(int), 0), *out = in;
    int result = 0;
    for (int i = 0; i < stages; i++)
        out = add_stage(out);
    for (int n = 1; n < numbers; n++) {
        foresee_send(in, &n);
        foresee_recv(out, &result);
    }
    printf("%d\n", result);
    return 0;
}
