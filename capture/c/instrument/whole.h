/* One module, instrumented. The program foresee-instrument does it to a file, the plugin to what clang has in memory. */
#ifndef FORE_C_INSTRUMENT_WHOLE_H
#define FORE_C_INSTRUMENT_WHOLE_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Words: [-g] [-O] INLINE [NAME...]. INLINE is bitcode, the part of the runtime that becomes part of the program; a NAME
 * is what a specification names, and all is recorded if there is none. Debug information is left with -g. With -O the
 * optimiser comes next. Other words that begin with '-' mean nothing. */
void fore_instrument(LLVMModuleRef module, int argc, char *const *argv);
LLVMModuleRef fore_read_module(LLVMContextRef context, const char *path);
/* Ends the process, says why; is the program's or the plugin's. */
void fore_give_up(const char *what, const char *why) __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#endif
