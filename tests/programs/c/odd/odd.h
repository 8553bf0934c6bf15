/* Small C programs with odd synchronisation: what they share. */
#ifndef ODD_H
#define ODD_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

typedef void body(int i);

struct odd {
    const char *name;
    void (*run)(void);
};

extern const struct odd odd_locks[], odd_others[], odd_readers[], odd_siblings[], odd_waits[];

/* Runs the function so many times at once, and waits. */
void several(int n, body *f);
/* Lets the others go first; the machine may be busy. */
void rest(void);
void must(bool good);
/* Two locks, in this order or that: never both at once in a correct program. */
void forwards(void);
void backwards(void);

#endif
