/* Ways to reach a variable of a specification by a pointer, one per name, and each stores 7 into
 * v or a part of it. It is compiled twice: this is the module of main, and with OTHER the
 * module that stores. `keep` hides from the optimiser where a pointer came from. */
#include <stdbool.h>
#include <string.h>

#define AWAY __attribute__((noinline))

#if defined(as_parameter) /* nobody keeps the address */
#ifndef OTHER
int v;
static AWAY void set(int *p)
{
    *p = 7;
}
int main(void)
{
    set(&v);
    return v != 7;
}
#endif

#elif defined(of_a_static)
void set(int *p);
#ifdef OTHER
void set(int *p)
{
    *p = 7;
}
#else
static int v;
int main(void)
{
    set(&v);
    return v != 7;
}
#endif

#elif defined(in_a_member)
struct holder {
    long unused;
    int *p;
};
void set(struct holder *h);
#ifdef OTHER
void set(struct holder *h)
{
    *h->p = 7;
}
#else
int v;
static struct holder h;
int main(void)
{
    h.p = &v;
    set(&h);
    return v != 7;
}
#endif

#elif defined(in_an_initialiser)
extern int *const table[];
#ifdef OTHER
extern int v;
int *const table[] = {&v};
#else
int v;
int main(void)
{
    *table[0] = 7;
    return v != 7;
}
#endif

#elif defined(chosen)
#ifdef OTHER
int v;
#else
extern int v;
int w;
int main(int argc, char **argv)
{
    (void)argv;
    *(argc > 9 ? &w : &v) = 7;
    return v != 7;
}
#endif

#elif defined(an_element)
void set(int *p, int n);
#ifdef OTHER
void set(int *p, int n) /* a loop that is copied */
{
    for (int i = 0; i < n; i++)
        p[i] = i;
}
#else
int v[9];
int main(void)
{
    set(v, 8);
    return v[7] != 7;
}
#endif

#elif defined(a_member)
struct tank {
    int level;
    double flow;
};
void set(double *p);
#ifdef OTHER
void set(double *p)
{
    *p = 7;
}
#else
struct tank v;
int main(void)
{
    set(&v.flow);
    return v.flow != 7;
}
#endif

#elif defined(a_bool)
void set(bool *p);
#ifdef OTHER
void set(bool *p)
{
    *p = true;
}
#else
bool v;
int main(void)
{
    set(&v);
    return !v;
}
#endif

#elif defined(a_pointer)
void set(char **p, char *to);
#ifdef OTHER
void set(char **p, char *to)
{
    *p = to;
}
#else
char *v;
int main(int argc, char **argv)
{
    (void)argc;
    set(&v, argv[0]);
    return !v;
}
#endif

#elif defined(a_bit_field)
struct bits {
    unsigned a : 3, b : 4;
};
void set(struct bits *p);
#ifdef OTHER
void set(struct bits *p)
{
    p->b = 7;
}
#else
struct bits v;
int main(void)
{
    set(&v);
    return v.b != 7;
}
#endif

#elif defined(a_union) /* of which the double is the larger part */
union both {
    double d;
    int i;
};
void set(int *p);
#ifdef OTHER
void set(int *p)
{
    *p = 7;
}
#else
union both v;
int main(void)
{
    set(&v.i);
    return v.i != 7;
}
#endif

#elif defined(by_characters)
void set(void *p);
#ifdef OTHER
void set(void *p)
{
    *(char *)p = 7;
}
#else
int v;
int main(void)
{
    set(&v);
    return v != 7;
}
#endif

#elif defined(in_characters) /* memory of characters, used as something else */
void set(void *p);
#ifdef OTHER
void set(void *p)
{
    *(int *)p = 7;
}
#else
_Alignas(8) unsigned char v[4];
int main(void)
{
    set(v);
    return v[0] != 7;
}
#endif

#elif defined(of_another_type) /* with -fno-strict-aliasing */
void set(void *p);
#ifdef OTHER
void set(void *p)
{
    *(int *)p = 0x40e00000;
}
#else
float v;
int main(void)
{
    set(&v);
    return v != 7;
}
#endif

#elif defined(copied)
struct pair {
    int a, b;
};
void set(struct pair *p, const struct pair *from);
#ifdef OTHER
void set(struct pair *p, const struct pair *from)
{
    *p = *from;
}
#else
struct pair v;
int main(void)
{
    struct pair from = {1, 7};
    set(&v, &from);
    return v.b != 7;
}
#endif

#elif defined(copied_by_call)
void set(void *p, size_t n);
#ifdef OTHER
void set(void *p, size_t n)
{
    static const int seven[2] = {7, 7};
    memmove(p, seven, n);
}
#else
int v;
int main(void)
{
    set(&v, sizeof v);
    return v != 7;
}
#endif

#elif defined(filled)
void set(void *p, size_t n);
#ifdef OTHER
void set(void *p, size_t n)
{
    memset(p, 7, n);
}
#else
char v[2];
int main(void)
{
    set(v, sizeof v);
    return v[1] != 7;
}
#endif

#elif defined(by_an_alias)
#ifndef OTHER
int v;
extern int same __attribute__((alias("v")));
int main(void)
{
    same = 7;
    return *(volatile int *)&v != 7;
}
#endif

#elif defined(by_assembler)
void set(int *p);
#ifdef OTHER
void set(int *p)
{
    *p = 7;
}
#else
int v;
int main(void)
{
    int *p;
    __asm__("movq $v, %0" : "=r"(p));
    set(p);
    return *(volatile int *)&v != 7;
}
#endif

#elif defined(by_its_name)
#include <dlfcn.h>
#ifdef OTHER
int v;
#else
int main(void)
{
    int *p = dlsym(0, "v");
    return p ? (*p = 7) - 7 : 1;
}
#endif

#elif defined(of_a_thread)
#include <pthread.h>
void *set(void *p);
#ifdef OTHER
void *set(void *p)
{
    *(int *)p = 7;
    return 0;
}
#else
int v;
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, set, &v);
    pthread_join(t, 0);
    return v != 7;
}
#endif

#elif defined(of_a_namesake) /* v is a static of both modules */
int *there(void);
#ifdef OTHER
static int v;
int *there(void)
{
    return &v;
}
#else
static int v;
int main(void)
{
    v = 1;
    *there() = 7;
    return v != 1;
}
#endif

#elif defined(of_a_plug_in) /* whose variable nobody knows before the first pass */
#include <dlfcn.h>
#ifdef OTHER
int v;
int *where(void)
{
    return &v;
}
#else
static void *opened;
static AWAY int *load(void)
{
    int *(*where)(void);
    opened = dlopen("./other.so", RTLD_NOW);
    *(void **)&where = opened ? dlsym(opened, "where") : 0;
    return where ? where() : 0;
}
int main(void)
{
    static int first;
    int *p = &first;
    for (int i = 0; i < 2; i++) {
        *p = 7;
        if (i == 0 && !(p = load()))
            return 2;
    }
    return *p != 7;
}
#endif

#endif
