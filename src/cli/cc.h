/* The arguments of the drop-in compilers, foresee cc and foresee c++. */
#ifndef FORE_CLI_CC_H
#define FORE_CLI_CC_H

#include "cli/cli.h"

#include "base/arena.h"
#include "spec/spec.h"

enum fore_cc_mode {
    FORE_CC_LINK,
    FORE_CC_OBJECT,
    FORE_CC_ASSEMBLY,
    FORE_CC_PLAIN, /* produces no code: clang alone does it */
};

enum fore_cc_role {
    FORE_CC_OPTION,    /* for every step */
    FORE_CC_INPUT,     /* of the linker */
    FORE_CC_SOURCE,    /* is compiled to an object, instrumented */
    FORE_CC_ASSEMBLER, /* is compiled to an object without instrumentation */
    FORE_CC_DEPENDS,   /* -MD and the like: for the first step only */
};

struct fore_cc_arg {
    const char *text;
    enum fore_cc_role role;
    const char *language; /* language of a source: what -x said, or NULL */
};

struct fore_cc {
    struct fore_cli *cli;
    struct fore_arena arena;
    bool cxx; /* the verb is c++ */
    /* the words as given, with response files read, without foresee's own */
    FORE_VEC(char *) words;
    FORE_VEC(struct fore_cc_arg) args;
    struct fore_spec spec;
    bool with_spec;
    const char *output, *language;
    enum fore_cc_mode mode;
    bool depends, depends_file, depends_target;
    bool shared;    /* -shared: the runtime comes with the program */
    bool partial;   /* -r */
    bool is_static; /* -static */
    bool sanitized; /* -fsanitize=address and the like */
    bool has_asan;  /* that one */
    bool header;    /* one is precompiled */
    bool debug;     /* -g and the like */
    bool optimised; /* -O1 and the like */
    bool
        unplugged; /* clang is told to leave out its passes, or to run them in a way without
                    * plugins */
    size_t sources, inputs;
};

/* Reads the words of the command line, and the specification if there is one. */
enum fore_status fore_cc_arguments(struct fore_cc *j, struct fore_err *e) FORE_MUST_USE;
/* cc_names.c: says which variables of the specification the linked program does not have. */
void fore_cc_check_names(const struct fore_cc *j, const char *program);
void fore_cc_release(struct fore_cc *j);

#endif
