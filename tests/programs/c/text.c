/* Memory that is copied by calls: of variables and through pointers. */
#include <string.h>

struct pair {
    int first;
    short second;
};

char name[8], other[8];
struct pair a = {1, 2}, b;
void *(*volatile copy)(void *, const void *, size_t) = memmove;

static struct pair *pick(struct pair *p)
{
    return p;
}

int main(void)
{
    strcpy(name, "ab");
    strcat(name, "c");
    strncpy(other, name, 5);
    *pick(&b) = *pick(&a);
    copy(&a.first, &b.first, 0);
    memset(&b.second, 1, sizeof b.second);
    return stpcpy(other, "xy") == other + 2 && b.second == 257 ? 0 : 1;
}
