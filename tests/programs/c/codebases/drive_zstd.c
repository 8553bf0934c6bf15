/* Drives zstd from several threads: one compression that uses workers of its own, and threads
 * that compress and decompress the same bytes, each with its own context.
 *   drive_zstd [THREADS [KILOBYTES]] */
#include "zstd.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *source;
static size_t size = 64 * 1024;

static int round_trip(ZSTD_CCtx *ctx)
{
    size_t room = ZSTD_compressBound(size);
    char *packed = malloc(room), *back = malloc(size);
    size_t n = packed && back ? ZSTD_compress2(ctx, packed, room, source, size) : 0;
    size_t m = n && !ZSTD_isError(n) ? ZSTD_decompress(back, size, packed, n) : 0;
    int good = m == size && memcmp(back, source, size) == 0;
    free(packed);
    free(back);
    return good;
}

static void *works(void *result)
{
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    *(int *)result = ctx && round_trip(ctx);
    ZSTD_freeCCtx(ctx);
    return NULL;
}

int main(int argc, char **argv)
{
    enum { MOST = 64 };
    pthread_t threads[MOST];
    int good[MOST + 1], count = argc > 1 ? atoi(argv[1]) : 4, all = 1;
    size = argc > 2 ? (size_t)atoi(argv[2]) * 1024 : size;
    source = malloc(size);
    if (!source || count < 1 || count > MOST)
        return 2;
    for (size_t i = 0; i < size; i++)
        source[i] = (char)((i * i >> 7) % 61 + 'A');
    ZSTD_CCtx *ctx = ZSTD_createCCtx();
    size_t workers = ZSTD_CCtx_setParameter(ctx, ZSTD_c_nbWorkers, count);
    ZSTD_CCtx_setParameter(ctx, ZSTD_c_jobSize, 1);
    good[count] = round_trip(ctx);
    ZSTD_freeCCtx(ctx);
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, works, &good[i]);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i <= count; i++)
        all = all && good[i];
    free(source);
    printf("%s, %s workers\n", all ? "round trips are right" : "WRONG",
           ZSTD_isError(workers) ? "without" : "with");
    return !all;
}
