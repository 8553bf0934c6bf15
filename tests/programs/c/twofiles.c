/* A variable of another file, and one of the same name that is not it. */
extern int shared;
static int same = 1;
int add_to_shared(int);

int main(void)
{
    same++;
    shared = 5;
    return add_to_shared(same) == 7 ? 0 : 1;
}
