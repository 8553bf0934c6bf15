/* Memory without a name is called by where it was made: by the variable that it was given to, if
 * there is one, and its parts by their types. Several blocks of one place are counted. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct tank {
    int level;
    struct {
        char open;
        double flow;
    } valve[2];
};

struct guarded {
    pthread_mutex_t lock;
    int n;
};

struct tail {
    int count;
    int items[];
};

struct all {
    struct tank *tank, *tanks, *nodes[3];
    struct tail *tail;
    struct guarded *guarded;
    double *grown;
    char *text, *mapped, *aligned;
    int *large;
    void *bytes;
};

static void *allocate(size_t n)
{
    return malloc(n);
}

static void *other(void *argument)
{
    struct all *a = argument;
    a->tank->level = 1;
    a->tank->valve[1].flow = 2;
    a->tanks[2].valve[0].open = 1;
    for (int i = 0; i < 3; i++)
        a->nodes[i]->level = i;
    a->tail->items[3] = 4;
    pthread_mutex_lock(&a->guarded->lock);
    a->guarded->n++;
    pthread_mutex_unlock(&a->guarded->lock);
    a->grown[9] = 5;
    a->text[1] = 'x';
    a->mapped[4096] = 'y';
    a->aligned[64] = 'z';
    a->large[100000] = 6;
    ((char *)a->bytes)[7] = 7;
    return NULL;
}

int main(void)
{
    struct all a;
    pthread_t t;
    struct tank *tank = malloc(sizeof *tank);
    struct tank *tanks = calloc(4, sizeof *tanks);
    a.tail = malloc(sizeof *a.tail + 8 * sizeof(int));
    double *grown = malloc(2 * sizeof *grown);
    grown = realloc(grown, 1000 * sizeof *grown);
    char *text = strdup("text");
    char *mapped =
        mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *aligned = NULL;
    int *large = malloc(1000000);
    void *bytes = allocate(10);
    struct guarded *guarded = calloc(1, sizeof *guarded);
    pthread_mutex_init(&guarded->lock, NULL);
    if (posix_memalign(&aligned, 64, 128) || mapped == MAP_FAILED)
        return 2;
    for (int i = 0; i < 3; i++) {
        a.nodes[i] = malloc(sizeof *a.nodes[i]);
        free(malloc(sizeof *a.nodes[i]));
    }
    a.tank = tank;
    a.tanks = tanks;
    a.grown = grown;
    a.text = text;
    a.mapped = mapped;
    a.aligned = aligned;
    a.large = large;
    a.bytes = bytes;
    a.guarded = guarded;
    pthread_create(&t, NULL, other, &a);
    pthread_join(t, NULL);
    int sum = tank->level + (int)tank->valve[1].flow + tanks[2].valve[0].open;
    for (int i = 0; i < 3; i++)
        sum += a.nodes[i]->level;
    sum += a.tail->items[3] + (int)grown[9] + large[100000];
    sum += text[1] + mapped[4096] + ((char *)aligned)[64] + ((char *)bytes)[7];
    return sum == 1 + 2 + 1 + 3 + 4 + 5 + 6 + 'x' + 'y' + 'z' + 7 ? 0 : 1;
}
