/* Puts hooks into Go's own source files: a plan of anchors (hooks/anchors.txt says how it is
 * written), each checked by how often it occurs, so that a Go that changed is refused by the
 * name of what is not where it was, and never patched halfway. */
#ifndef FORE_GO_PATCH_H
#define FORE_GO_PATCH_H

#include "base/arena.h"
#include "base/map.h"
#include "base/strbuf.h"
#include "base/vec.h"

struct fore_go_spelling {
    struct fore_bytes find, put;
};

struct fore_go_anchor {
    const char *file, *name;
    unsigned count;        /* how often it must occur */
    unsigned since, until; /* minor versions of Go 1 */
    FORE_VEC(struct fore_go_spelling) spellings;
};

struct fore_go_word {
    const char *name, *file;
    FORE_VEC(struct fore_go_spelling) spellings; /* find: in the file; put: the words */
    struct fore_bytes value;                     /* chosen for this Go */
};

/* Words that stand for a text wherever it occurs, which must be at least once. */
struct fore_go_swap {
    const char *file;
    unsigned since, until;
    struct fore_go_spelling words;
};

struct fore_go_append {
    const char *file, *hooks;
};

struct fore_go_plan {
    struct fore_arena arena;
    unsigned minor; /* of the Go that is being patched */
    FORE_VEC(struct fore_go_anchor) anchors;
    FORE_VEC(struct fore_go_word) words;
    FORE_VEC(struct fore_go_swap) swaps;
    FORE_VEC(struct fore_go_append) appends;
    FORE_VEC(const char *) files; /* each once, in the order of the plan */
};

enum fore_status fore_go_plan_read(struct fore_go_plan *p, const char *name,
                                   const char *text, size_t n,
                                   struct fore_err *e) FORE_MUST_USE;
void fore_go_plan_release(struct fore_go_plan *p);

/* Chooses the words that `text`, the contents of `file`, decides. Names of those that it does
 * not have are added to `missing`, as "FILE: NAME", one per line. */
void fore_go_plan_choose(struct fore_go_plan *p, const char *file, struct fore_bytes text,
                         struct fore_strbuf *missing);
/* Is there anything in the plan about this file of this Go? It may not be there otherwise. */
bool fore_go_plan_concerns(const struct fore_go_plan *p, const char *file);
/* Applies every anchor of `file` to `text`. What does not match is added to `missing`. */
void fore_go_plan_apply(const struct fore_go_plan *p, const char *file,
                        struct fore_bytes text, struct fore_strbuf *out,
                        struct fore_strbuf *missing);
/* Appends hooks, with the chosen words put in. */
void fore_go_plan_words(const struct fore_go_plan *p, struct fore_bytes hooks,
                        struct fore_strbuf *out);

/* 26 of "go1.26.8", "go1.27rc1", "devel go1.28-5ad…"; 0 if it is no version of Go 1. */
unsigned fore_go_minor(const char *version);

#endif
