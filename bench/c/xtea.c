/* Locals only: each thread enciphers a counter of its own. */
#include "kernel.h"

static long rounds;
static uint32_t sums[THREADS];

static uint64_t encipher(uint64_t block, const uint32_t key[4])
{
    uint32_t low = (uint32_t)block, high = (uint32_t)(block >> 32), sum = 0;
    for (int i = 0; i < 32; i++) {
        low += (((high << 4) ^ (high >> 5)) + high) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9u;
        high += (((low << 4) ^ (low >> 5)) + low) ^ (sum + key[sum >> 11 & 3]);
    }
    return low | (uint64_t)high << 32;
}

static void *work(void *argument)
{
    int me = *(int *)argument;
    uint32_t key[4] = {1, 2, 3, (uint32_t)me};
    uint64_t block = 0;
    for (long i = 0; i < rounds; i++)
        block = encipher(block ^ (uint64_t)i, key);
    sums[me] = (uint32_t)block;
    return NULL;
}

int main(int argc, char **argv)
{
    rounds = kernel_size(argc, argv, 7000000);
    if (kernel_run(work))
        return 1;
    printf("%08x\n", sums[0] ^ sums[1]);
    return 0;
}
