/* A log with two buffers: which one is current is read under the lock, what is written to it is not. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char buf[2][64];
static int len[2], cur;
static int flushed, written;
static void put(const char *s)
{
    pthread_mutex_lock(&m);
    int c = cur;
#ifndef FIXED
    pthread_mutex_unlock(&m);
#endif
    size_t n = strlen(s);
    memcpy(buf[c] + len[c], s, n);
    len[c] += (int)n;
    written += (int)n;
#ifdef FIXED
    pthread_mutex_unlock(&m);
#endif
}
static void *w(void *x)
{
    put("ab");
    put("cd");
    return x;
}
static void *f(void *x)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&m);
        int c = cur;
        cur = !cur;
        flushed += len[c];
        len[c] = 0;
        pthread_mutex_unlock(&m);
    }
    return x;
}
int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], 0, w, 0);
    pthread_create(&t[1], 0, w, 0);
    pthread_create(&t[2], 0, f, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    assert(flushed + len[0] + len[1] == 8);
    return 0;
}
