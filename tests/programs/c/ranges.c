/* Structures and arrays as a whole: an access to each of their members and elements. */
#include <string.h>

struct pair {
    char first; /* and room behind it */
    double second;
};

struct pair a, b = {3, 0.5};
int row[4] = {1, 2, 3, 4};

int main(void)
{
    struct pair local = {1, 2.5};
    a = local;
    b = a;
    memmove(row + 1, row, 2 * sizeof *row);
    memset(row, 0, sizeof *row);
    local = b;
    return row[2] == 2 && local.first == 1 ? 0 : 1;
}
