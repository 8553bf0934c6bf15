/* The newsreader without its bug: a select takes one piece of news and leaves the other. */
#include <foresee/csp.h>
#include <stdio.h>

struct agencies {
    foresee_chan *reuters, *bloomberg, *done;
};

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

static void newsreader(void *arg)
{
    struct agencies *a = arg;
    const char *news;
    foresee_select(FORESEE_RECV(a->reuters, &news), FORESEE_RECV(a->bloomberg, &news));
    printf("process %u reads %s\n", foresee_self(), news);
}

static void first_reader(void *arg)
{
    struct agencies *a = arg;
    newsreader(a);
    foresee_send(a->done, NULL);
}

int main(void)
{
    struct agencies a = {foresee_make_named(sizeof(char *), 0, "r"),
                         foresee_make_named(sizeof(char *), 0, "b"),
                         foresee_make_named(0, 0, "done")};
    foresee_go(reuters, a.reuters);
    foresee_go(bloomberg, a.bloomberg);
    foresee_go(first_reader, &a);
    newsreader(&a);
    foresee_recv(a.done, NULL);
    return 0;
}
