#include "../check.h"

#include "base/cxx_name.h"

static void is_named(const char *full, const char *name)
{
    struct fore_strbuf b = FORE_STRBUF_INIT;
    fore_cxx_name(full, &b);
    assert_string_equal(b.at, name);
    fore_strbuf_release(&b);
}

static void a_name_in_c_stays(void **state)
{
    (void)state;
    is_named("worker", "worker");
    is_named("worker.watched", "worker.watched");
    is_named("", "");
}

static void parameters_and_template_arguments_go(void **state)
{
    (void)state;
    is_named("Pool::loop(int)", "Pool::loop");
    is_named("std::map<int, std::vector<A<int> > >::find(int const&) const",
             "std::map::find");
    is_named(
        "void std::call_once<void (F::*)(int), F*>(std::once_flag&, void (F::*&&)(int))",
        "std::call_once");
    is_named("auto LR<std::map<int, long> >::read<main::$_0>(main::$_0)", "LR::read");
    is_named("(anonymous namespace)::go(int)", "(anonymous namespace)::go");
}

static void operators_keep_theirs(void **state)
{
    (void)state;
    is_named("main::$_0::operator()() const", "main::$_0::operator()");
    is_named("main::{lambda(int)#1}::operator()(int) const",
             "main::{lambda(int)#1}::operator()");
    is_named("A<int>::operator[](unsigned long)", "A::operator[]");
    is_named("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<");
    is_named("P::operator->() const", "P::operator->");
    is_named("operator new(unsigned long)", "operator new");
    is_named("A::operator bool() const", "A::operator bool");
    is_named("operators::plus(int)", "operators::plus");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_in_c_stays),
        cmocka_unit_test(parameters_and_template_arguments_go),
        cmocka_unit_test(operators_keep_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
