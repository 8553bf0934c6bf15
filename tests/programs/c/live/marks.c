/* Marks with values of every type. */
#include "foresee/mark.h"

int main(void)
{
    foresee_history *h = foresee_object("kv"), *other = foresee_object("other");
    struct foresee_value number = {FORESEE_NUMBER, 0, "2.5", 3, NULL};
    struct foresee_value inner[] = {number, foresee_text("x", 1)};
    struct foresee_value items[] = {foresee_int(1), {FORESEE_LIST, 0, "", 2, inner}};
    struct foresee_value list = {FORESEE_LIST, 0, "", 2, items};
    struct foresee_value put[] = {foresee_text("a\"b", 3), foresee_int(7)};
    struct foresee_value cas[] = {foresee_bool(1), foresee_bool(0), list};
    foresee_call *c = foresee_invoke_values(h, "put", 2, put);
    foresee_return(c, foresee_nothing());
    c = foresee_invoke(other, "get", foresee_text("c", 1));
    foresee_return(c, foresee_nil());
    c = foresee_invoke(h, "get", foresee_text("a", 1));
    foresee_return(c, foresee_text("text", 4));
    c = foresee_invoke_values(h, "cas", 3, cas);
    foresee_return(c, list);
    c = foresee_invoke(h, "get", foresee_nothing());
    foresee_return(c, number);
    c = foresee_invoke(h, "get", foresee_nothing());
    foresee_return(c, foresee_bool(1));
    foresee_fail(foresee_invoke(h, "get", foresee_nothing()));
    return 0;
}
