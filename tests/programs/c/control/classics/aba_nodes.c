/* ABA: a pop reads the next node and is interrupted; meanwhile others pop two nodes and push the first one back. FIXED: with a lock. */
#include "classics.h"
struct node { struct node *next; int value; };
static struct node nodes[3]; static atomic_int owned[3];
BUG(static _Atomic(struct node *) top;)
FIX(static struct node *top; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;)
static void push(struct node *n) { BUG(struct node *old = atomic_load(&top); do n->next = old; while (!atomic_compare_exchange_weak(&top, &old, n));) FIX(pthread_mutex_lock(&m); n->next = top; top = n; pthread_mutex_unlock(&m);) }
static struct node *pop(void) { BUG(struct node *n = atomic_load(&top); while (n && !atomic_compare_exchange_weak(&top, &n, n->next)); return n;) FIX(pthread_mutex_lock(&m); struct node *n = top; if (n) top = n->next; pthread_mutex_unlock(&m); return n;) }
static struct node *take(void) { struct node *n = pop(); if (n) assert(atomic_fetch_add(&owned[n->value], 1) == 0); return n; }
static void put(struct node *n) { if (n) { atomic_fetch_sub(&owned[n->value], 1); push(n); } }
static void *uses(void *x) { for (int i = 0; i < 2; i++) { struct node *a = take(), *b = take(); put(a); put(b); } return x; }
int main(void) { for (int i = 0; i < 3; i++) { nodes[i].value = i; push(&nodes[i]); } RUN(uses, uses); return 0; }
