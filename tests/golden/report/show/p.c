/* The locks of the golden case: lines 10 and 11. */








    lock(&a);
    lock(&b);
