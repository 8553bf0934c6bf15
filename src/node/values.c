#include "node/values.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/sort.h"
#include "base/vec.h"
#include "foresee/actor.h"
#include "node/log.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    struct fore_log log;
    struct fore_map texts;
    struct fore_arena arena;
} values = {.lock = PTHREAD_MUTEX_INITIALIZER, .log = {.fd = -1}};

#define TEXT_BIT ((int64_t)1 << 62)

int64_t fore_value_of_text(const char *s, size_t n)
{
    uint64_t h = fore_hash(s, n) >> 2;
    bool fresh;
    pthread_mutex_lock(&values.lock);
    uint64_t *at = fore_map_put(&values.texts, h, &fresh);
    if (fresh) {
        *at = (uint64_t)(uintptr_t)fore_arena_strndup(&values.arena, s, n);
        struct fore_strbuf record = FORE_STRBUF_INIT;
        fore_log_put_text(&record, s, n);
        fore_log_add(&values.log, &record);
        fore_strbuf_release(&record);
    }
    pthread_mutex_unlock(&values.lock);
    return (int64_t)h | TEXT_BIT;
}

/* A text that another process of the exploration has met. */
static void take_text(struct fore_log_record r, void *user)
{
    size_t n;
    bool fresh;
    const char *s = fore_log_get_text(&r, &n);
    uint64_t *at = fore_map_put(&values.texts, fore_hash(s, n) >> 2, &fresh);
    (void)user;
    if (fresh)
        *at = (uint64_t)(uintptr_t)fore_arena_strndup(&values.arena, s, n);
}

const char *fore_nodes_value(int64_t value)
{
    if (value < 0 || !(value & TEXT_BIT))
        return NULL;
    pthread_mutex_lock(&values.lock);
    uint64_t *at = fore_map_get(&values.texts, (uint64_t)(value & ~TEXT_BIT));
    if (!at) {
        fore_log_read(&values.log, take_text, NULL);
        at = fore_map_get(&values.texts, (uint64_t)(value & ~TEXT_BIT));
    }
    pthread_mutex_unlock(&values.lock);
    return at ? (const char *)(uintptr_t)*at : NULL;
}

/* The members of a list, sorted: a set has no order. */
static void write_sorted(const struct fore_json *list, struct fore_strbuf *out)
{
    FORE_VEC(char *) members = {0};
    for (const struct fore_json *x = list->first; x; x = x->next) {
        struct fore_strbuf s = FORE_STRBUF_INIT;
        fore_json_write(x, &s);
        fore_vec_push(&members, fore_strbuf_detach(&s));
    }
    if (members.n)
        qsort(members.at, members.n, sizeof *members.at, fore_compare_text);
    fore_strbuf_putc(out, '[');
    for (size_t i = 0; i < members.n; i++) {
        fore_strbuf_printf(out, "%s%s", i ? "," : "", members.at[i]);
        fore_free(members.at[i]);
    }
    fore_strbuf_putc(out, ']');
    fore_vec_release(&members);
}

int64_t fore_value_of_json(const struct fore_json *v)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    if (!v || v->kind == FORE_JSON_NULL)
        return FORESEE_NIL;
    int64_t i = fore_json_int(v, FORESEE_NIL);
    if (v->kind == FORE_JSON_NUMBER && i != FORESEE_NIL && !(i & TEXT_BIT))
        return i;
    if (v->kind == FORE_JSON_ARRAY)
        write_sorted(v, &s);
    else
        fore_json_write(v, &s);
    i = fore_value_of_text(s.at, s.n);
    fore_strbuf_release(&s);
    return i;
}

void fore_write_value(int64_t v, struct fore_strbuf *out)
{
    const char *text = fore_nodes_value(v);
    if (v == FORESEE_NIL)
        fore_strbuf_puts(out, "null");
    else if (text)
        fore_strbuf_puts(out, text);
    else
        fore_strbuf_printf(out, "%" PRId64, v);
}

enum fore_status fore_values_share(const char *path, struct fore_err *e)
{
    return fore_log_open(&values.log, path, e);
}

void fore_values_close(void)
{
    fore_log_close(&values.log);
    fore_map_release(&values.texts);
    fore_arena_release(&values.arena);
}
