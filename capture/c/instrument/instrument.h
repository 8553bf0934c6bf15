/* Inside the instrumentor: one module at work. One source serves LLVM 14 (pointers have types)
 * and later versions (they have none). It is a program that runs once: what fails ends it. */
#ifndef FORE_C_INSTRUMENT_H
#define FORE_C_INSTRUMENT_H

#include "capture/c/instrument/whole.h"
#include "capture/c/module.h"
#include "capture/ring/ring.h"

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#include <stdbool.h>

struct fore_hook {
    LLVMTypeRef type;
    LLVMValueRef function;
};

enum { FORE_TEXTS = 1 << 16 };
struct fore_text {
    char *text; /* NULL: free */
    LLVMValueRef value;
};

struct fore_work {
    LLVMContextRef context;
    LLVMModuleRef module;
    struct fore_twin *twins; /* see twin.c */
    size_t twin_count;
    LLVMDIBuilderRef lines; /* of twins; see copy.c */
    LLVMValueRef touched;   /* the function that was marked last */
    LLVMBuilderRef builder;
    LLVMValueRef watched_function, watched; /* see fore_watched */
    bool marked; /* functions say whether they are to be seen */
    LLVMTargetDataRef layout;
    LLVMTypeRef void_type, i32, i64, text, site, variable;
    struct fore_hook begin, begin_if, end, end_bits, at, call, copy, fill, fresh, made,
        freed, fence, in_main, libc_begin, libc_end, in_unseen, in_use, out_use, starts;
    struct fore_hook in_begin, in_read, in_write, in_end, in_end_bits, in_old, in_more,
        in_note;
    struct fore_hook in_copy, in_move, in_fill, in_near;
    unsigned tbaa;                    /* the kind of metadata */
    LLVMValueRef tag_own, tag_theirs; /* see fore_tag_checks */
    unsigned taken;                   /* see fore_taken */
    LLVMValueRef *rows;               /* of the table of variables */
    unsigned row_count;
    bool is_large;    /* see outline.c */
    bool in_loop;     /* what is looked at is run again and again: see heat.c */
    bool debug, fast; /* -g, and the optimiser is to run */
    char *const
        *names; /* what the specification names; all is recorded if it names nothing */
    int name_count;
    struct fore_text *texts; /* FORE_TEXTS of them, hashed */
    size_t text_count;
    LLVMValueRef *locals; /* the private ones, sorted */
    size_t local_count;
};

/* Returns the memory; ends the program if there is none. */
void *fore_must(void *memory);

/* site.c: where an instruction is in the source, as what the runtime takes. A string is a
 * private constant, as i8*. */
LLVMValueRef fore_string(struct fore_work *w, const char *s);
LLVMValueRef fore_number(struct fore_work *w, uint64_t n);
LLVMValueRef fore_site(struct fore_work *w, LLVMValueRef instruction);
/* What makes memory also says what, see FORE_C_MADE. */
LLVMValueRef fore_site_made(struct fore_work *w, LLVMValueRef instruction,
                            const char *made);
/* A load of the site's number, which does not change while the program runs. */
LLVMValueRef fore_site_number(struct fore_work *w, LLVMValueRef site);
bool fore_in_system_header(LLVMValueRef function);
/* An instruction that nothing outside of system headers has led to within its function. */
bool fore_is_of_system_header(LLVMValueRef instruction);

/* variables.c */
bool fore_is_shared_variable(LLVMValueRef global);
/* "tank.c:tank.level" is of tank; to be freed. */
char *fore_variable_name(const char *in_specification);
/* Whether the specification names it, if there is one. */
enum fore_name {
    FORE_NAME_NONE,
    FORE_NAME_PERHAPS, /* if another module has defined it in the right file, or it turns out to be a named part */
    FORE_NAME_SURE,
};
/* `offset` and `size` say which bytes of it are meant. */
#define FORE_NOT_CONSTANT UINT64_MAX
enum fore_name fore_is_named(struct fore_work *w, LLVMValueRef global, uint64_t offset,
                             uint64_t size);
/* A variable of one bool, which no character stands for. */
bool fore_is_bool(struct fore_work *w, LLVMValueRef global);
void fore_add_table(struct fore_work *w);
/* A constant that neither the optimiser nor the linker drops. */
void fore_keep_in_section(struct fore_work *w, LLVMValueRef init, const char *name,
                          const char *section);

/* escape.c: locals and thread-locals whose address no other thread can come to know; found
 * before the first call is inserted. */
void fore_find_private(struct fore_work *w);
bool fore_is_private(const struct fore_work *w, LLVMValueRef local);

/* reach.c: the kinds of what is in the variables whose addresses the module takes; before the
 * first call is inserted. */
unsigned fore_taken(struct fore_work *w);
/* The kind of an access through a pointer; whether some module lets such variables out. */
enum fore_c_kind fore_kind(struct fore_work *w, LLVMValueRef access, LLVMTypeRef type);
LLVMValueRef fore_is_taken(struct fore_work *w, enum fore_c_kind kind);
/* What the optimiser is told of the inlined functions; of a call of the runtime. */
void fore_tag_checks(struct fore_work *w);
void fore_tag_call(struct fore_work *w, LLVMValueRef call);

/* fields.c: what a load or store has to do with a bit-field. */
enum fore_field {
    FORE_FIELD_NONE,
    FORE_FIELD_BITS,     /* it reads or writes these */
    FORE_FIELD_REPLACED, /* it only reads what is around those that are written next */
};
struct fore_bits {
    unsigned first, width;
};
enum fore_field fore_field_of(LLVMValueRef instruction, struct fore_bits *bits);

/* access.c */
LLVMValueRef fore_base_of(LLVMValueRef pointer);
/* The opcode of an instruction or a constant expression; that of a return, which no pointer comes from, for other
 * values. */
LLVMOpcode fore_opcode(LLVMValueRef value);
/* Is it an access that is always recorded? */
bool fore_is_exact(struct fore_work *w, LLVMValueRef instruction);
/* Surrounds the instruction with calls, if it is a load, a store or the like that is to be recorded. */
void fore_access(struct fore_work *w, LLVMValueRef instruction);
void fore_fence(struct fore_work *w, LLVMValueRef instruction);
/* A memcpy, memmove or memset becomes the runtime's, if it is to be recorded. */
bool fore_range(struct fore_work *w, LLVMValueRef call, bool fills);
/* An escaping local begins its life as a place that nobody has touched. */
void fore_fresh_local(struct fore_work *w, LLVMValueRef local);

/* outline.c: whether the module is so large that accesses are not inlined; what is to go
 * through the owner filter is replaced by a call, if that can be, there and where it is not in a loop. */
bool fore_is_large(struct fore_work *w);
bool fore_outline(struct fore_work *w, LLVMValueRef instruction, uint64_t what);
/* A load or store of memory that is mostly the thread's own: noted in line, done by a call if it is not. */
bool fore_quick(struct fore_work *w, LLVMValueRef instruction, uint64_t what);
/* A load or store by a pointer that may lead to a variable: done by a call if it does. */
bool fore_aside(struct fore_work *w, LLVMValueRef instruction, enum fore_c_kind kind,
                uint64_t what);

/* calls.c */
void fore_rename_calls(struct fore_work *w);
void fore_call(struct fore_work *w, LLVMValueRef call);

/* libc.c: tells the effects of a call of the C library; false if nothing is known of it. */
bool fore_libc(struct fore_work *w, LLVMValueRef call);

/* unseen.c: says so, if a call does what nobody can see. */
void fore_unseen(struct fore_work *w, LLVMValueRef call);

/* starts.c: says what function a thread begins with, of std::thread before anything is inlined. */
void fore_note_starts(struct fore_work *w);
void fore_starts(struct fore_work *w, LLVMValueRef call);
/* The names of functions that threads may be handed by a pointer. */
void fore_add_starts(struct fore_work *w);

/* use.c: marks where values come to be used; before anything is inserted. */
void fore_mark_uses(struct fore_work *w);

/* straight.c: marks the events that come for sure after those before them; before anything is
 * inserted. Was this one marked? */
void fore_mark_straight(struct fore_work *w);
bool fore_is_straight(struct fore_work *w, LLVMValueRef event);

/* made.c */
/* Before anything else: notes which variable a call allocates memory for. */
void fore_note_made(struct fore_work *w);
/* Says where a call has allocated memory, if it was noted. */
void fore_made(struct fore_work *w, LLVMValueRef call);
/* The site of a local that escapes. */
LLVMValueRef fore_made_local(struct fore_work *w, LLVMValueRef local);

/* heat.c: the blocks of a function, in their order; `hot` is to be freed. */
struct fore_heat {
    bool *hot;
    unsigned n;
    bool worth; /* so much of it is hot that the whole function is worth optimising */
};
struct fore_heat fore_heat_of(LLVMValueRef function);

/* twin.c: copies functions that can have two versions; from then on these are watched without a question. Something was
 * inserted into a function; it has few loops. Completes both. */
void fore_copy_twins(struct fore_work *w);
bool fore_has_twin(struct fore_work *w, LLVMValueRef function);
void fore_touch(struct fore_work *w, LLVMValueRef function);
void fore_set_cold(struct fore_work *w, LLVMValueRef function);
void fore_join_twins(struct fore_work *w);
/* copy.c: a function of the module that has the same body; what is true of all calls of the first, or of the call. */
LLVMValueRef fore_copy_function(struct fore_work *w, LLVMValueRef first,
                                const char *name);
void fore_copy_attributes(LLVMValueRef from, LLVMValueRef to, bool to_call);

/* headers.c: what system headers define becomes part of the code that uses it. */
void fore_inline_headers(struct fore_work *w);

/* Whether the program is watched, as the function knows it; call it before the builder is positioned. */
LLVMValueRef fore_watched(struct fore_work *w, LLVMValueRef function);
LLVMValueRef fore_emit(struct fore_work *w, struct fore_hook hook, LLVMValueRef *args,
                       unsigned n);
/* The value as the i8 pointer that the runtime takes. */
LLVMValueRef fore_as_text(struct fore_work *w, LLVMValueRef pointer);
/* The name of a function; "" for anything else. */
const char *fore_function_name(LLVMValueRef value);

#endif
