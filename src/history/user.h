/* Sequential objects from shared objects (include/foresee/model.h). */
#ifndef FORE_HISTORY_USER_H
#define FORE_HISTORY_USER_H

#include "base/child.h"
#include "foresee/model.h"
#include "history/model.h"

struct fore_user_model {
    struct fore_model model;
    void *handle;
    const struct foresee_model *theirs;
    struct fore_model_op *ops;
    struct fore_beat *beat; /* its code is watched; NULL: by nobody */
};

bool fore_model_is_path(const char *name);

/* A built-in object by name, or a shared object by path (it has a slash or ends in .so).
 * `user` is filled in the second case, and must outlive the model; its `beat` is set before. */
enum fore_status fore_model_named(const char *name, struct fore_user_model *user,
                                  const struct fore_model **model,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_user_model_release(struct fore_user_model *u);

#endif
