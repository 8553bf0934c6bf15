/* foresee-instrument IN OUT [-g] [-O] INLINE [NAME...]: bitcode in, bitcode out. For a clang that cannot load the plugin. */
#include "capture/c/instrument/whole.h"

#include <llvm-c/BitWriter.h>

#include <stdio.h>
#include <stdlib.h>

void fore_give_up(const char *what, const char *why)
{
    fprintf(stderr, "foresee-instrument: %s: %s\n", what, why);
    exit(1);
}

int main(int argc, char **argv)
{
    if (argc < 4)
        fore_give_up("usage", "foresee-instrument IN OUT [-g] [-O] INLINE [NAME...]");
    LLVMModuleRef module = fore_read_module(LLVMContextCreate(), argv[1]);
    fore_instrument(module, argc - 3, argv + 3);
    if (LLVMWriteBitcodeToFile(module, argv[2]))
        fore_give_up(argv[2], "cannot be written");
    return 0;
}
