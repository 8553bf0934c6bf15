void asks(void)
{
    while (!ready) /* one { statement */
        wait_for(&c, &m);
    while (1)
        wait_for(&c, &m);
}
