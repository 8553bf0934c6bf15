/* As ways.c, in C++. */
#if defined(by_reference)
namespace bank {
extern int v;
void set(int &to);
}
#ifdef OTHER
namespace bank {
void set(int &to)
{
    to = 7;
}
}
#else
int bank::v;
int main()
{
    bank::set(bank::v);
    return bank::v != 7;
}
#endif

#elif defined(in_a_namespace) /* by its name, in a module that does not define it */
namespace bank {
extern int v;
void set();
}
#ifdef OTHER
void bank::set()
{
    v = 7;
}
#else
int bank::v;
int main()
{
    bank::set();
    return bank::v != 7;
}
#endif

#endif
