#include "actor/system.h"

#include "base/arena.h"
#include "node/system.h"

#include <dlfcn.h>
#include <string.h>

static enum fore_status split_fields(struct fore_arena *a, struct fore_kind_info *k,
                                     const char *fields, struct fore_err *e)
{
    char *at = fore_arena_strdup(a, fields ? fields : "");
    char *rest = NULL;
    for (char *f = strtok_r(at, " ", &rest); f; f = strtok_r(NULL, " ", &rest)) {
        if (k->fields == FORESEE_FIELDS)
            return fore_fail(e, FORE_LIMIT, "message %s has more than %d fields", k->name,
                             FORESEE_FIELDS);
        k->field[k->fields++] = f;
    }
    return FORE_OK;
}

static enum fore_status check_roles(const struct foresee_actor_system *def,
                                    struct fore_err *e)
{
    if (!def->roles || !def->role_count)
        return fore_fail(e, FORE_MEANING, "system %s has no roles", def->name);
    for (uint32_t i = 0; i < def->role_count; i++) {
        const struct foresee_role *r = &def->roles[i];
        if (!r->name || !r->on)
            return fore_fail(e, FORE_MEANING, "role %u of system %s has no %s", i,
                             def->name, r->name ? "handlers" : "name");
        if (r->state_size > 1 << 20)
            return fore_fail(e, FORE_LIMIT,
                             "the state of role %s is %zu bytes; at most 1 MiB", r->name,
                             r->state_size);
    }
    return FORE_OK;
}

enum fore_status fore_system_init(struct fore_system *s, struct fore_arena *a,
                                  const struct foresee_actor_system *def,
                                  struct fore_err *e)
{
    if (def->size < sizeof *def || def->abi != FORESEE_ACTOR_ABI)
        return fore_fail(e, FORE_MEANING,
                         "built for actor interface %u (%u bytes), this foresee has %u "
                         "(%zu bytes): compile it again with this foresee's headers",
                         def->abi, def->size, FORESEE_ACTOR_ABI, sizeof *def);
    if (!def->name || !def->messages || !def->message_count)
        return fore_fail(e, FORE_MEANING, "the system has no %s",
                         def->name ? "messages" : "name");
    FORE_TRY(check_roles(def, e));
    *s = (struct fore_system){.def = def, .name = def->name};
    s->kinds = FORE_NEW_ARRAY(a, struct fore_kind_info, def->message_count);
    for (uint32_t i = 0; i < def->message_count; i++) {
        if (!def->messages[i].name)
            return fore_fail(e, FORE_MEANING, "message %u of system %s has no name", i,
                             def->name);
        s->kinds[i].name = def->messages[i].name;
        FORE_TRY(split_fields(a, &s->kinds[i], def->messages[i].fields, e));
    }
    return FORE_OK;
}

enum fore_status fore_system_load(struct fore_system *s, struct fore_arena *a,
                                  const char *path, struct fore_err *e)
{
    if (!strcmp(path, FORE_NODES_NAME)) {
        FORE_TRY(fore_system_init(s, a, &fore_node_system, e));
        s->propositions = &fore_node_propositions;
        return FORE_OK;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return fore_fail(e, FORE_IO, "cannot load %s: %s", path, dlerror());
    const struct foresee_actor_system *def = dlsym(handle, "foresee_actor_system");
    enum fore_status st = def ? fore_system_init(s, a, def, e)
                              : fore_fail(e, FORE_MEANING,
                                          "%s is no actor system: it does not export "
                                          "`foresee_actor_system`",
                                          path);
    if (st != FORE_OK) {
        dlclose(handle);
        return st;
    }
    s->handle = handle;
    s->propositions = dlsym(handle, "foresee_propositions");
    if (s->propositions && s->propositions->size < sizeof *s->propositions)
        s->propositions = NULL;
    s->symmetry = dlsym(handle, "foresee_symmetry");
    if (s->symmetry && (s->symmetry->size < sizeof *s->symmetry || !s->symmetry->rename))
        s->symmetry = NULL;
    return FORE_OK;
}

void fore_system_release(struct fore_system *s)
{
    if (s->handle)
        dlclose(s->handle);
    *s = (struct fore_system){0};
}

int fore_system_kind(const struct fore_system *s, const char *name)
{
    for (uint32_t i = 0; i < s->def->message_count; i++)
        if (!strcmp(s->kinds[i].name, name))
            return (int)i;
    return -1;
}

int fore_system_role(const struct fore_system *s, const char *name)
{
    for (uint32_t i = 0; i < s->def->role_count; i++)
        if (!strcmp(s->def->roles[i].name, name))
            return (int)i;
    return -1;
}

int fore_system_proposition(const struct fore_system *s, const char *name)
{
    for (uint32_t i = 0; s->propositions && i < s->propositions->count; i++)
        if (!strcmp(s->propositions->at[i].name, name))
            return (int)i;
    return -1;
}

int fore_kind_field(const struct fore_kind_info *k, const char *name)
{
    for (uint32_t i = 0; i < k->fields; i++)
        if (!strcmp(k->field[i], name))
            return (int)i;
    return -1;
}
