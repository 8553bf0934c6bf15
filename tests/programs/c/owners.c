/* What has no name: a local whose address another thread gets, the heap, a thread-local whose
 * address is given away. Locals and thread-locals that nobody gets are not recorded. */
#include <pthread.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static _Thread_local int own, lent;

static void *other(void *argument)
{
    int **given = argument;
    own++;
    *given[0] += 5;
    *given[1] = own;
    head->value = 3;
    return NULL;
}

static void run(int **given)
{
    pthread_t t;
    pthread_create(&t, NULL, other, given);
    pthread_join(t, NULL);
}

int main(void)
{
    int shared = 1, mine[2] = {2, 3};
    int *given[2] = {&shared, &lent};
    head = malloc(sizeof *head);
    if (!head)
        return 2;
    head->value = 1;
    own = mine[shared];
    run(given);
    int sum = shared + lent + head->value + own;
    free(head);
    return sum == 13 ? 0 : 1;
}
