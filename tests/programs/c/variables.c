/* Reads and writes of global variables: types, members, elements, pointers. */
#include <stdbool.h>

enum colour { RED, GREEN };
struct tank {
    int level;
    struct {
        unsigned char valve[3];
        double flow;
    } out;
};

int v;
unsigned big;
short little = -3;
bool open_;
float half;
double twice = 0.25;
enum colour colour;
struct tank tank, tanks[2];
int grid[2][3];
static long hidden = 7;
_Thread_local int own;
const int fixed = 5;

static int count(void)
{
    static int calls;
    return ++calls;
}

int main(void)
{
    int local = 0, *p = &v;
    v = 1;
    v = 2;
    for (int i = 0; i < 2; i++)
        v = v + 10;
    *p = 99;
    big = 4000000000u;
    little--;
    open_ = true;
    half = 0.5f;
    twice *= 2;
    colour = GREEN;
    tank.level = 3;
    tank.out.valve[2] = 200;
    tank.out.flow = 1.5;
    tanks[1].level = 4;
    grid[1][2] = 6;
    hidden++;
    own = 8 + fixed;
    count();
    local += own;
    return local == 13 ? 0 : 1;
}
