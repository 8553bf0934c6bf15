/* Bit-fields by their own names and values; unions. */
#include <stdbool.h>

struct flags {
    unsigned ready : 1;
    int level : 5;
    unsigned mode : 3;
    bool on : 1;
    int tail;
    unsigned long wide : 40;
};

struct flags f, g[2];

union {
    int whole;
    float real;
} number;

union {
    struct {
        short low, high;
    } part;
    int all;
} halves;

int main(void)
{
    f.ready = 1;
    f.level = -3;
    f.mode += 2;
    f.on = true;
    f.ready = 0;
    f.tail = 4;
    f.wide = 1ul << 35;
    g[1].level = 7;
    number.real = 0.5f;
    number.whole = 3;
    halves.part.high = 2;
    return f.level + f.on + (int)f.mode == 0 && g[1].level == 7 ? 0 : 1;
}
