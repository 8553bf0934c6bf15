/* Is what a thread is about to do the next step of the schedule? An access is known by its object: by its name, or
 * where another step has shown that it is. */
#include "capture/c/runtime/turn_step.h"
#include "capture/c/runtime/called.h"

#include <stdlib.h>
#include <string.h>

const char *fore_turn_last_part(const char *file)
{
    const char *slash = strrchr(file, '/');
    return slash ? slash + 1 : file;
}

static bool is_site(const struct fore_c_site *site, const struct fore_schedule_step *s)
{
    return !s->file ||
           (site && site->line == s->line && fore_turn_column(site) == s->column &&
            !strcmp(fore_turn_last_part(site->file), fore_turn_last_part(s->file)));
}

static bool is_counted(unsigned kind)
{
    return kind >= FORE_OP_close && kind <= FORE_OP_wgwait;
}

static bool counts_fit(const struct fore_turn_thread *t,
                       const struct fore_schedule_step *s)
{
    return fore_turn.schedule.at_least ? t->operations >= s->before
                                       : t->operations == s->before;
}

/* The second place of the same name is called name_2. */
static bool is_name(const char *name, const char *wanted)
{
    size_t n = strlen(name);
    if (strncmp(name, wanted, n) != 0)
        return false;
    wanted += n;
    return !*wanted || (*wanted == '_' && wanted[1] &&
                        strspn(wanted + 1, "0123456789") == strlen(wanted + 1));
}

/* What the step's object is called; NULL if it has no name of its own. memory@file.c:12 is called by its
 * first access, and the same memory may be accessed elsewhere first; place4 is just the fourth. */
const char *fore_turn_name_of_object(const struct fore_schedule_step *s)
{
    const char *name = s->object < fore_turn.schedule.objects_n
                           ? fore_turn.schedule.objects[s->object]
                           : NULL;
    if (!name || !strncmp(name, "memory@", 7) ||
        (!strncmp(name, "place", 5) && name[5] &&
         strspn(name + 5, "0123456789") == strlen(name + 5)))
        return NULL;
    return name;
}

/* The first of its bytes that is of an object that is called so, or has no name here; -1: none is. */
static int byte_called(const struct fore_turn_thread *t, const char *wanted)
{
    enum { MOST = 4096 };
    char name[256];
    for (uint32_t i = 0; (i < t->op.size && i < MOST) || !i; i++) {
        fore_rt_called((const char *)t->op.address + i, name, sizeof name);
        if (!*name || is_name(name, wanted))
            return (int)i;
    }
    return -1;
}

bool fore_turn_touches_called(const struct fore_turn_thread *t, const char *wanted)
{
    return byte_called(t, wanted) >= 0;
}

/* Is the access one of a part of the step's object, which is called by its first byte? So it is told where others access the
 * whole of a union or a word. It counts only for accesses that are to race: whether they overlap is looked at then. */
static bool is_part_of_called(const struct fore_turn_thread *t,
                              const struct fore_schedule_step *s, const char *wanted)
{
    uintptr_t at = (uintptr_t)t->op.address;
    char name[256];
    if (s->how != FORE_SCHEDULE_STANDS || !s->file || !t->op.size ||
        t->op.size >= FORE_TURN_WORD)
        return false;
    for (uintptr_t first = at - at % FORE_TURN_WORD; first < at; first++) {
        fore_rt_called((const char *)first, name, sizeof name);
        if (*name && is_name(name, wanted))
            return true;
    }
    return false;
}

/* Is it called as the step's object? What has no name may be any. An access may be of several objects,
 * as one of a whole union is. */
static bool is_called(const struct fore_turn_thread *t,
                      const struct fore_schedule_step *s)
{
    const char *wanted = fore_turn_name_of_object(s);
    return !wanted || t->op.size > FORE_TURN_WORD ||
           fore_turn_touches_called(t, wanted) || is_part_of_called(t, s, wanted);
}

/* Is the thread's operation of the step's kind? A wait for a once is the once not entered. */
static bool is_kind(const struct fore_turn_thread *t, const struct fore_schedule_step *s)
{
    bool enters = s->kind == FORE_OP_once && s->how == FORE_SCHEDULE_WAITS;
    return t->op.kind == (enters ? FORE_OP_enter : s->kind);
}

/* Accesses to bytes of one word may have been told together, at the site of the last of them: then it is the object's name
 * that tells which it is. */
static bool is_of_other_site(const struct fore_turn_thread *t,
                             const struct fore_schedule_step *s)
{
    enum { TOGETHER = 4 };
    char name[256] = "";
    const char *wanted = fore_turn_name_of_object(s);
    if (!wanted || !fore_schedule_is_access(s->kind) || !t->op.size ||
        t->op.size >= TOGETHER)
        return false;
    fore_rt_called((const char *)t->op.address, name, sizeof name);
    return *name && is_name(name, wanted);
}

/* Does the access agree with the step in all but how many came before? */
bool fore_turn_is_alike(const struct fore_turn_thread *t,
                        const struct fore_schedule_step *s)
{
    return t->plan == s->path && is_kind(t, s) && counts_fit(t, s) &&
           (is_site(t->op.site, s) ? is_called(t, s) : is_of_other_site(t, s));
}

/* Where the objects of accesses are, as far as steps have shown it; by their number. */
static struct {
    uintptr_t *at;
    uint32_t n;
} objects;

uintptr_t fore_turn_address_of(const struct fore_schedule_step *s)
{
    return s->object < objects.n ? objects.at[s->object] : 0;
}

/* The access of a step was done there. Of many bytes it is not known which of them it was. */
void fore_turn_learn_address(const struct fore_turn_thread *t,
                             const struct fore_schedule_step *s)
{
    if (!s->object || fore_turn_address_of(s) || t->op.size > FORE_TURN_WORD)
        return;
    if (!objects.n) {
        uint32_t most = 0;
        for (uint32_t i = 0; i < fore_turn.schedule.n; i++)
            if (fore_turn.schedule.steps[i].object > most)
                most = fore_turn.schedule.steps[i].object;
        objects.at = calloc((size_t)most + 1, sizeof *objects.at);
        objects.n = objects.at ? most + 1 : 0;
    }
    const char *name = fore_turn_name_of_object(s);
    int byte = name ? byte_called(t, name) : 0;
    if (s->object < objects.n)
        objects.at[s->object] =
            (uintptr_t)t->op.address + (byte > 0 ? (unsigned)byte : 0);
}

/* Does it touch what the step does, whose address is known? */
bool fore_turn_is_at_object(const struct fore_turn_thread *t,
                            const struct fore_schedule_step *s)
{
    uintptr_t at = fore_turn_address_of(s), from = (uintptr_t)t->op.address;
    const char *wanted = fore_turn_name_of_object(s);
    if (wanted && is_part_of_called(t, s, wanted))
        return at - at % FORE_TURN_WORD == from - from % FORE_TURN_WORD;
    return at && at >= from && at < from + t->op.size;
}

/* As how many records the access counts that are not among the steps done: an access of many bytes is one of each 8. */
uint32_t fore_turn_records_left(const struct fore_turn_thread *t)
{
    uint64_t n =
        ((uintptr_t)t->op.address % FORE_TURN_WORD + t->op.size + FORE_TURN_WORD - 1) /
        FORE_TURN_WORD;
    return t->op.size <= FORE_TURN_WORD || n <= t->parts ? 1 : (uint32_t)(n - t->parts);
}

bool fore_turn_is_step(const struct fore_turn_thread *t,
                       const struct fore_schedule_step *s)
{
    if (!fore_turn_is_alike(t, s))
        return false;
    if (!fore_schedule_is_access(s->kind))
        return true;
    return fore_turn_address_of(s) ? fore_turn_is_at_object(t, s)
                                   : t->hits + fore_turn_records_left(t) >= s->count;
}

/* May it go past where it stands, on its way to the step? */
bool fore_turn_may_pass(const struct fore_turn_thread *t,
                        const struct fore_schedule_step *s)
{
    return !is_counted(t->op.kind) || fore_turn.schedule.at_least ||
           t->operations < s->before;
}
