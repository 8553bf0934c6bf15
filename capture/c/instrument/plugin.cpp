/* The instrumentor as a plugin of clang (-fpass-plugin): it does its work at the beginning of the optimiser's pipeline, in
 * the process that compiles, on the module that is in memory. C++, because clang lets nothing else into its pipeline.
 *
 * What to do is in the environment, FORESEE_INSTRUMENT: the words of fore_instrument, one in a line.
 *
 * If there is -m among them, functions were marked as if for ThreadSanitizer, to tell apart those that are not to be seen,
 * and clang puts that sanitizer's passes into the pipeline. They are kept from doing anything: they would do something even
 * to functions without a mark, where these have atomics, and to every module. */
#include "capture/c/instrument/whole.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Support/ErrorHandling.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace llvm;

void fore_give_up(const char *what, const char *why)
{
    report_fatal_error(Twine("foresee-instrument: ") + what + ": " + why, false);
}

namespace
{

/* The lines of the environment's variable; each stays for as long as the process. */
std::vector<char *> words()
{
    std::vector<char *> all;
    const char *told = std::getenv("FORESEE_INSTRUMENT");
    if (!told)
        fore_give_up("FORESEE_INSTRUMENT", "is not set: foresee cc sets it");
    char *rest = strdup(told);
    for (char *word; (word = strsep(&rest, "\n"));)
        if (*word)
            all.push_back(word);
    return all;
}

bool is_marked()
{
    for (const char *word : words())
        if (std::strcmp(word, "-m") == 0)
            return true;
    return false;
}

struct Instrument : PassInfoMixin<Instrument> {
    static PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        std::vector<char *> all = words();
#if LLVM_VERSION_MAJOR >= 18
        /* Names of variables are read from calls of llvm.dbg.*. */
        ScopedDbgInfoFormatSetter<Module> as_calls(module, false);
#endif
        fore_instrument(wrap(&module), static_cast<int>(all.size()), all.data());
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

const char constructor[] = "tsan.module_ctor", prefix[] = "__tsan_";

/* Before a sanitizer. A module that has its constructor already gets none. */
struct Hide : PassInfoMixin<Hide> {
    static PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        for (Function &f : module)
            f.addFnAttr(Attribute::DisableSanitizerInstrumentation);
        module.getOrInsertFunction(constructor, Type::getVoidTy(module.getContext()));
        return PreservedAnalyses::all();
    }
    static bool isRequired()
    {
        return true;
    }
};

/* Behind a sanitizer. */
struct Show : PassInfoMixin<Show> {
    static PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        for (Function &f : module)
            f.removeFnAttr(Attribute::DisableSanitizerInstrumentation);
        if (Function *f = module.getFunction(constructor))
            f->eraseFromParent();
        for (Function &f : make_early_inc_range(module))
            if (f.isDeclaration() && f.use_empty() && f.getName().str().rfind(prefix, 0) == 0)
                f.eraseFromParent();
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

template <typename Pass> void add_beside(PassBuilder &builder)
{
    auto add = [](ModulePassManager &passes, OptimizationLevel) { passes.addPass(Pass()); };
#if LLVM_VERSION_MAJOR >= 15
    builder.registerOptimizerEarlyEPCallback(add);
#endif
    builder.registerOptimizerLastEPCallback(add);
}

/* clang's own passes are registered when plugins are, behind them; the pipeline is built when all are. */
void add_passes(PassBuilder &builder)
{
    bool hides = is_marked();
    if (hides)
        add_beside<Hide>(builder);
    builder.registerPipelineStartEPCallback(
        [&builder, hides](ModulePassManager &passes, OptimizationLevel) {
            passes.addPass(Instrument());
            if (hides)
                add_beside<Show>(builder);
        });
}

} // namespace

extern "C" __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "foresee", "1", add_passes};
}
