/* Listing 1.1 of [goscout]: two agencies with one piece of news each, two readers that each
 * want one. Most runs end well. */
#include <foresee/csp.h>
#include <stdio.h>
#include <stdlib.h>

struct agencies {
    foresee_chan *reuters, *bloomberg;
};

struct wire {
    foresee_chan *from, *to;
};

static struct wire *wire(foresee_chan *from, foresee_chan *to)
{
    struct wire *w = malloc(sizeof *w);
    *w = (struct wire){from, to};
    return w;
}

static void reuters(void *ch)
{
    const char *news = "REUTERS";
    foresee_send(ch, &news);
}

static void bloomberg(void *ch)
{
    const char *news = "BLOOMBERG";
    foresee_send(ch, &news);
}

static void helper(void *arg)
{
    struct wire *w = arg;
    const char *news;
    foresee_recv(w->from, &news);
    foresee_send(w->to, &news);
    free(w);
}

static void newsreader(void *arg)
{
    struct agencies *a = arg;
    foresee_chan *ch = foresee_make_named(sizeof(char *), 0, "ch");
    const char *news;
    foresee_go(helper, wire(a->reuters, ch));
    foresee_go(helper, wire(a->bloomberg, ch));
    foresee_recv(ch, &news);
    printf("process %u reads %s\n", foresee_self(), news);
}

int main(void)
{
    struct agencies a = {foresee_make_named(sizeof(char *), 0, "r"),
                         foresee_make_named(sizeof(char *), 0, "b")};
    foresee_go(reuters, a.reuters);
    foresee_go(bloomberg, a.bloomberg);
    foresee_go(newsreader, &a);
    newsreader(&a);
    return 0;
}
