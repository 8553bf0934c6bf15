/* One operation, by the name that it is given. */
#include <foresee/mark.h>

#include <stdio.h>

int main(int argc, char **argv)
{
    foresee_history *o = foresee_object("o");
    foresee_call *c = foresee_invoke(o, argc > 1 ? argv[1] : "fine", foresee_nothing());
    foresee_return(c, foresee_nothing());
    puts("asked");
    return 0;
}
