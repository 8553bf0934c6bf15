/* Races that a witness tells in more steps than the program does: of a union that is used whole and in
 * parts; of what pthread_join writes, when the thread that it waits for has no part in it. */
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>
static union { uint32_t half[2]; uint64_t whole; } u;
static void *result;
static void *ends(void *p) { return p; }
static void *writes(void *p)
{
#ifdef JOINED
    result = 0;
#else
    u.half[0] = 1;
#endif
    return p;
}
int main(void)
{
    pthread_t t, other;
    u.whole = 7;
    pthread_create(&t, 0, ends, 0);
    pthread_create(&other, 0, writes, 0);
#ifdef JOINED
    pthread_join(t, &result);
#else
    usleep(30000);
    result = (void *)(uintptr_t)u.whole;
    pthread_join(t, 0);
#endif
    pthread_join(other, 0);
    return 0;
}
