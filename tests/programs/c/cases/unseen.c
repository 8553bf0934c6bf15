/* What nobody can see: HOW 0 to 2; what is harmless: 3 and 4. */
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>

static volatile int word;

int main(void)
{
    int one = 1;
    switch (HOW) {
    case 0: __asm__ volatile("xchgl %0,%1" : "+r"(one), "+m"(word)::"memory"); break;
    case 1: __asm__ volatile("movl $1,%0" : "=m"(word)); break;
    case 2: shmat(shmget(IPC_PRIVATE, 4096, 0600), NULL, 0); break;
    case 3: __asm__ volatile("" ::: "memory"); break;
    case 4: __asm__ volatile("pause" ::: "memory"); break;
    }
    return 0;
}
