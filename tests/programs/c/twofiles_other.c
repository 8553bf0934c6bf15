int shared;
int add_to_shared(int);
static int same = 10;

int add_to_shared(int by)
{
    same--;
    return shared += by;
}
