/* Four steps hand over and back; the last one is not guarded. */
#include "classics.h"
static atomic_int ask, answer, done;
static void *client(void *x) { for (int i = 1; i <= 3; i++) { atomic_store(&ask, i); if (atomic_load(&answer) == i) atomic_fetch_add(&done, 1); } return x; }
static void *server(void *x) { for (int k = 0; k < 3; k++) { int i = atomic_load(&ask); FIX(if (i < 3)) atomic_store(&answer, i); } return x; }
int main(void) { RUN(client, server); assert(done < 3); return 0; }
