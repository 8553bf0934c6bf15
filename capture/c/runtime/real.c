#include "capture/c/runtime/sync.h"

#define X(name, params, args) .name = name,
struct fore_rt_real fore_rt_real = {FORE_C_CALLS(X, X)};
