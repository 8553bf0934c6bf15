/* The names of functions in C++, as tools give them: without parameters, arguments of templates and the type of the result. */
#ifndef FORE_BASE_CXX_NAME_H
#define FORE_BASE_CXX_NAME_H

#include "base/strbuf.h"

/* "void run<main::$_0>(main::$_0)" is "run", "(anonymous namespace)::go(int)" is "(anonymous namespace)::go",
 * "std::map<int, A<int> >::operator[](int const&)" is "std::map::operator[]". A name in C stays as it is. */
void fore_cxx_name(const char *full, struct fore_strbuf *out);

#endif
