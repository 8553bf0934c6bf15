#include "capture/go/overlay.h"

#include "base/embed.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "capture/control/outcome.h"
#include "capture/control/schedule.h"
#include "capture/go/patch.h"
#include "capture/ring/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FORE_EMBED(go_anchors, "capture/go/hooks/anchors.txt");
FORE_EMBED(go_runtime, "capture/go/hooks/runtime.go");
FORE_EMBED(go_channel, "capture/go/hooks/channel.go");
FORE_EMBED(go_parts, "capture/go/hooks/parts.go");
FORE_EMBED(go_linux, "capture/go/hooks/linux.go");
FORE_EMBED(go_outside, "capture/go/hooks/outside.go");
FORE_EMBED(go_sema, "capture/go/hooks/sema.go");
FORE_EMBED(go_sync, "capture/go/hooks/sync.go");
FORE_EMBED(go_atomic, "capture/go/hooks/atomic.go");
FORE_EMBED(go_atomic0, "capture/go/hooks/atomic0.go");
FORE_EMBED(go_value, "capture/go/hooks/value.go");
FORE_EMBED(go_context, "capture/go/hooks/context.go");
FORE_EMBED(go_memory, "capture/go/hooks/memory.go");
FORE_EMBED(go_units, "capture/go/hooks/units.go");
FORE_EMBED(go_pages, "capture/go/hooks/pages.go");
FORE_EMBED(go_spare, "capture/go/hooks/spare.go");
FORE_EMBED(go_bubble, "capture/go/hooks/bubble.go");
FORE_EMBED(go_guard, "capture/go/hooks/guard.go");
FORE_EMBED(go_cells, "capture/go/hooks/cells.go");
FORE_EMBED(go_readers, "capture/go/hooks/readers.go");
FORE_EMBED(go_know, "capture/go/hooks/know.go");
FORE_EMBED(go_blocks, "capture/go/hooks/blocks.go");
FORE_EMBED(go_stacks, "capture/go/hooks/stacks.go");
FORE_EMBED(go_exact, "capture/go/hooks/exact.go");
FORE_EMBED(go_silence, "capture/go/hooks/silence.go");
FORE_EMBED(go_mark, "capture/go/hooks/mark.go");
FORE_EMBED(go_rest, "capture/go/hooks/rest.go");
FORE_EMBED(go_tests, "capture/go/hooks/tests.go");
FORE_EMBED(go_types, "capture/go/hooks/types.go");
FORE_EMBED(go_race0, "capture/go/hooks/race0.go");
FORE_EMBED(go_race, "capture/go/hooks/race.go");
FORE_EMBED(go_strategy, "capture/go/hooks/strategy.go");
FORE_EMBED(go_turn, "capture/go/hooks/turn.go");
FORE_EMBED(go_turn_points, "capture/go/hooks/turn_points.go");
FORE_EMBED(go_turn_runs, "capture/go/hooks/turn_runs.go");
FORE_EMBED(go_turn_clock, "capture/go/hooks/turn_clock.go");
FORE_EMBED(go_turn_schedule, "capture/go/hooks/turn_schedule.go");
FORE_EMBED(go_turn_follow, "capture/go/hooks/turn_follow.go");
FORE_EMBED(go_turn_node, "capture/go/hooks/turn_node.go");
FORE_EMBED(go_turn_watch, "capture/go/hooks/turn_watch.go");
FORE_EMBED(go_turn_tell, "capture/go/hooks/turn_tell.go");
FORE_EMBED(go_amd64, "capture/go/hooks/fore_amd64.s");
FORE_EMBED(go_arm64, "capture/go/hooks/fore_arm64.s");

/* The hooks know these by number. */
_Static_assert(offsetof(struct fore_ring_header, chunks) == 24, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, load_base) == 64, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, next_chunk) == 72, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, dropped) == 80, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, state) == 88, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, exit_status) == 92, "runtime.go");
_Static_assert(offsetof(struct fore_ring_header, executable) == 96, "linux.go");
_Static_assert(offsetof(struct fore_ring_header, go_func) == 1128, "linux.go");
_Static_assert(offsetof(struct fore_ring_header, sees) == 1168, "outside.go");
_Static_assert(offsetof(struct fore_ring_header, ended) == 1172, "outside.go");
_Static_assert(offsetof(struct fore_ring_header, folder) == 1180, "linux.go");
_Static_assert(FORE_RING_DEF_GROUP == 207, "tests.go");
_Static_assert(FORE_RING_DEF_RESTS == 209 && FORE_RING_DEF_FED == 210, "rest.go");
_Static_assert(FORE_RING_DEF_CHILD == 211, "outside.go");
_Static_assert(offsetof(struct fore_ring_header, cpu_ns) == 2208, "rest.go");
_Static_assert(FORE_RING_IN == 45 && FORE_RING_OUT == 46, "outside.go");
_Static_assert(FORE_RING_OBJ_OUTSIDE == 11 && FORE_RING_DEF_UNSEEN == 206, "outside.go");
_Static_assert(FORE_RING_UNSEEN_MEMBER == 1, "exact.go");
_Static_assert(FORE_RING_PRE == 7 && FORE_RING_CLOSE_EVENT == 11, "runtime.go");
_Static_assert(FORE_RING_ARM == 29 && FORE_RING_WGWAIT == 28, "runtime.go, sync.go");
_Static_assert(offsetof(struct fore_ring_header, has_past) == 1136, "memory.go");
_Static_assert(offsetof(struct fore_ring_header, sees) == 1168, "memory.go");
_Static_assert(FORE_RING_PAST == 204 && FORE_RING_DEF_PLACES == 205, "memory.go");
_Static_assert(FORE_RING_DEF_STACK == 208, "stacks.go");
_Static_assert(FORE_RING_EARLY == 4 && FORE_RING_LONG == (1 << 20) - 1, "memory.go");
_Static_assert(FORE_RING_READ == 31 && FORE_RING_RMW == 33, "atomic.go");
_Static_assert(FORE_RING_OBJ_PLACE == 9 && FORE_RING_TYPES == 64, "atomic.go");
_Static_assert(FORE_RING_DEF_OBJECT == 200 && FORE_RING_TRY == 128, "runtime.go");

_Static_assert(offsetof(struct fore_outcome, signals) == 324152, "turn_tell.go");
_Static_assert(sizeof(struct fore_outcome_step) == 32, "turn_tell.go");
_Static_assert(offsetof(struct fore_outcome, choices) == 560, "turn_tell.go");
_Static_assert(offsetof(struct fore_outcome, thread) == 4664, "turn_tell.go");
_Static_assert(FORE_OUTCOME_STEPS == 1 << 19 && FORE_OUTCOME_MOST == 1 << 20,
               "turn_tell.go");
_Static_assert(sizeof(struct fore_outcome_runs) == 65832, "turn_runs.go");
_Static_assert(FORE_OUTCOME_SERIES == 0x52000 && FORE_OUTCOME_RING == 8192,
               "turn_runs.go");
_Static_assert((int)FORE_OP_woken == 70 && (int)FORE_OP_wgwait == 28, "turn_schedule.go");

struct hooks {
    const char *name;
    struct fore_bytes text;
};

static struct fore_bytes hooks_named(const char *name)
{
    const struct hooks all[] = {
        {"anchors.txt", {go_anchors, FORE_EMBED_SIZE(go_anchors)}},
        {"runtime.go", {go_runtime, FORE_EMBED_SIZE(go_runtime)}},
        {"channel.go", {go_channel, FORE_EMBED_SIZE(go_channel)}},
        {"parts.go", {go_parts, FORE_EMBED_SIZE(go_parts)}},
        {"linux.go", {go_linux, FORE_EMBED_SIZE(go_linux)}},
        {"outside.go", {go_outside, FORE_EMBED_SIZE(go_outside)}},
        {"sema.go", {go_sema, FORE_EMBED_SIZE(go_sema)}},
        {"sync.go", {go_sync, FORE_EMBED_SIZE(go_sync)}},
        {"atomic.go", {go_atomic, FORE_EMBED_SIZE(go_atomic)}},
        {"atomic0.go", {go_atomic0, FORE_EMBED_SIZE(go_atomic0)}},
        {"value.go", {go_value, FORE_EMBED_SIZE(go_value)}},
        {"context.go", {go_context, FORE_EMBED_SIZE(go_context)}},
        {"memory.go", {go_memory, FORE_EMBED_SIZE(go_memory)}},
        {"units.go", {go_units, FORE_EMBED_SIZE(go_units)}},
        {"pages.go", {go_pages, FORE_EMBED_SIZE(go_pages)}},
        {"spare.go", {go_spare, FORE_EMBED_SIZE(go_spare)}},
        {"bubble.go", {go_bubble, FORE_EMBED_SIZE(go_bubble)}},
        {"guard.go", {go_guard, FORE_EMBED_SIZE(go_guard)}},
        {"cells.go", {go_cells, FORE_EMBED_SIZE(go_cells)}},
        {"readers.go", {go_readers, FORE_EMBED_SIZE(go_readers)}},
        {"know.go", {go_know, FORE_EMBED_SIZE(go_know)}},
        {"blocks.go", {go_blocks, FORE_EMBED_SIZE(go_blocks)}},
        {"stacks.go", {go_stacks, FORE_EMBED_SIZE(go_stacks)}},
        {"exact.go", {go_exact, FORE_EMBED_SIZE(go_exact)}},
        {"silence.go", {go_silence, FORE_EMBED_SIZE(go_silence)}},
        {"mark.go", {go_mark, FORE_EMBED_SIZE(go_mark)}},
        {"rest.go", {go_rest, FORE_EMBED_SIZE(go_rest)}},
        {"tests.go", {go_tests, FORE_EMBED_SIZE(go_tests)}},
        {"types.go", {go_types, FORE_EMBED_SIZE(go_types)}},
        {"race0.go", {go_race0, FORE_EMBED_SIZE(go_race0)}},
        {"race.go", {go_race, FORE_EMBED_SIZE(go_race)}},
        {"strategy.go", {go_strategy, FORE_EMBED_SIZE(go_strategy)}},
        {"turn.go", {go_turn, FORE_EMBED_SIZE(go_turn)}},
        {"turn_points.go", {go_turn_points, FORE_EMBED_SIZE(go_turn_points)}},
        {"turn_runs.go", {go_turn_runs, FORE_EMBED_SIZE(go_turn_runs)}},
        {"turn_clock.go", {go_turn_clock, FORE_EMBED_SIZE(go_turn_clock)}},
        {"turn_schedule.go", {go_turn_schedule, FORE_EMBED_SIZE(go_turn_schedule)}},
        {"turn_follow.go", {go_turn_follow, FORE_EMBED_SIZE(go_turn_follow)}},
        {"turn_node.go", {go_turn_node, FORE_EMBED_SIZE(go_turn_node)}},
        {"turn_watch.go", {go_turn_watch, FORE_EMBED_SIZE(go_turn_watch)}},
        {"turn_tell.go", {go_turn_tell, FORE_EMBED_SIZE(go_turn_tell)}},
        {"amd64", {go_amd64, FORE_EMBED_SIZE(go_amd64)}},
        {"arm64", {go_arm64, FORE_EMBED_SIZE(go_arm64)}},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i].name, name) == 0)
            return all[i].text;
    return (struct fore_bytes){NULL, 0};
}

/* ---- files ---- */

static enum fore_status make_folders(const char *file, struct fore_err *e)
{
    char path[PATH_MAX];
    if (strlen(file) >= sizeof path)
        return fore_fail(e, FORE_IO, "%s: the path is too long", file);
    strcpy(path, file);
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return fore_fail(e, FORE_IO, "%s: %s", path, strerror(errno));
        *p = '/';
    }
    return FORE_OK;
}

/* Two foresees at once do not meet halfway. */
static enum fore_status write_all(const char *path, const char *text, size_t n,
                                  struct fore_err *e)
{
    FORE_TRY(make_folders(path, e));
    return fore_file_replace(path, text, n, e);
}

/* ---- the overlay ---- */

struct overlay {
    const struct fore_go_install *go;
    const char *folder; /* NULL: only check */
    struct fore_go_plan plan;
    struct fore_strbuf missing, json;
};

static enum fore_status source_of(const struct overlay *o, const char *file,
                                  struct fore_strbuf *text, struct fore_err *e)
{
    struct fore_strbuf path = FORE_STRBUF_INIT;
    fore_strbuf_printf(&path, "%s/src/%s", o->go->root, file);
    enum fore_status s = fore_strbuf_read_file(text, path.at, e);
    fore_strbuf_release(&path);
    return s;
}

static enum fore_status choose_words(struct overlay *o, struct fore_err *e)
{
    enum fore_status s = FORE_OK;
    for (size_t i = 0; s == FORE_OK && i < o->plan.words.n; i++) {
        struct fore_strbuf text = FORE_STRBUF_INIT;
        const char *file = o->plan.words.at[i].file;
        s = source_of(o, file, &text, e);
        if (s == FORE_OK)
            fore_go_plan_choose(&o->plan, file, (struct fore_bytes){text.at, text.n},
                                &o->missing);
        fore_strbuf_release(&text);
    }
    return s;
}

static void json_row(struct overlay *o, const char *file, const char *backing)
{
    struct fore_strbuf key = FORE_STRBUF_INIT;
    fore_strbuf_printf(&key, "%s/src/%s", o->go->root, file);
    fore_strbuf_puts(&o->json, o->json.n ? ",\n    " : "{\n  \"Replace\": {\n    ");
    fore_strbuf_json(&o->json, key.at, key.n);
    fore_strbuf_puts(&o->json, ": ");
    fore_strbuf_json(&o->json, backing, strlen(backing));
    fore_strbuf_release(&key);
}

static enum fore_status put_file(struct overlay *o, const char *file, const char *text,
                                 size_t n, struct fore_err *e)
{
    if (!o->folder)
        return FORE_OK;
    struct fore_strbuf path = FORE_STRBUF_INIT;
    fore_strbuf_printf(&path, "%s/%s", o->folder, file);
    enum fore_status s = write_all(path.at, text, n, e);
    if (s == FORE_OK)
        json_row(o, file, path.at);
    fore_strbuf_release(&path);
    return s;
}

/* With the file of the recorder goes what a program records that is run by itself, later. (A new file
 * would do, but for go vet, which ignores overlays.) */
static void append_hooks(const struct overlay *o, const char *hooks,
                         struct fore_strbuf *out)
{
    fore_go_plan_words(&o->plan, hooks_named(hooks), out);
    if (!strcmp(hooks, "linux.go"))
        fore_strbuf_printf(out, "\nconst foreAtomicCalls = %d\n", o->go->atomics);
}

static enum fore_status patch_file(struct overlay *o, const char *file,
                                   struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT, out = FORE_STRBUF_INIT;
    enum fore_status s = source_of(o, file, &text, e);
    if (s == FORE_OK) {
        fore_go_plan_apply(&o->plan, file, (struct fore_bytes){text.at, text.n}, &out,
                           &o->missing);
        for (size_t i = 0; i < o->plan.appends.n; i++)
            if (strcmp(o->plan.appends.at[i].file, file) == 0)
                append_hooks(o, o->plan.appends.at[i].hooks, &out);
        if (!o->missing.n && (out.n != text.n || memcmp(out.at, text.at, out.n) != 0))
            s = put_file(o, file, out.at, out.n, e);
    }
    fore_strbuf_release(&text);
    fore_strbuf_release(&out);
    return s;
}

static enum fore_status check_version(const struct fore_go_install *go,
                                      struct fore_err *e)
{
    unsigned minor = fore_go_minor(go->version);
    if (minor == 0)
        return fore_fail(e, FORE_MISSING, "%s is no version of Go that foresee knows",
                         go->version);
    if (minor < FORE_GO_OLDEST)
        return fore_fail(e, FORE_MISSING,
                         "%s is too old: foresee go needs Go 1.%d or newer", go->version,
                         FORE_GO_OLDEST);
    if (!hooks_named(go->arch).at || strchr(go->arch, '.'))
        return fore_fail(e, FORE_MISSING,
                         "foresee go does not know GOARCH=%s (only amd64, arm64)",
                         go->arch);
    return FORE_OK;
}

static enum fore_status refuse(const struct overlay *o, struct fore_err *e)
{
    return fore_fail(e, FORE_MISSING,
                     "%s in %s is laid out in a way that this foresee does not know; not "
                     "found:\n%s",
                     o->go->version, o->go->root, o->missing.at);
}

static enum fore_status build(struct overlay *o, struct fore_err *e)
{
    struct fore_bytes anchors = hooks_named("anchors.txt");
    FORE_TRY(check_version(o->go, e));
    FORE_TRY(fore_go_plan_read(&o->plan, "anchors.txt", anchors.at, anchors.n, e));
    o->plan.minor = fore_go_minor(o->go->version);
    FORE_TRY(choose_words(o, e));
    for (size_t i = 0; i < o->plan.files.n; i++)
        if (fore_go_plan_concerns(&o->plan, o->plan.files.at[i]))
            FORE_TRY(patch_file(o, o->plan.files.at[i], e));
    if (o->missing.n)
        return refuse(o, e);
    struct fore_bytes assembly = hooks_named(o->go->arch);
    char name[64];
    snprintf(name, sizeof name, "runtime/fore_%s.s", o->go->arch);
    return put_file(o, name, assembly.at, assembly.n, e);
}

static void overlay_release(struct overlay *o)
{
    fore_go_plan_release(&o->plan);
    fore_strbuf_release(&o->missing);
    fore_strbuf_release(&o->json);
}

/* The user's own replacements, behind ours. */
static enum fore_status merge_user(struct overlay *o, const char *path,
                                   struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_arena a = FORE_ARENA_INIT;
    const struct fore_json *doc;
    enum fore_status s = fore_strbuf_read_file(&text, path, e);
    if (s == FORE_OK)
        s = fore_json_read(&a, path, text.at, text.n, &doc, e);
    if (s == FORE_OK) {
        const struct fore_json *rows = fore_json_get(doc, "Replace");
        for (const struct fore_json *r = rows ? rows->first : NULL; r; r = r->next) {
            fore_strbuf_puts(&o->json, ",\n    ");
            fore_strbuf_json(&o->json, r->key.at, r->key.n);
            fore_strbuf_puts(&o->json, ": ");
            fore_strbuf_json(&o->json, r->text.at, r->text.n);
        }
    }
    fore_arena_release(&a);
    fore_strbuf_release(&text);
    return s;
}

/* What the overlay is made from, as a name: the same for the same. */
static uint64_t identity(const struct fore_go_install *go, const char *merge)
{
    struct fore_strbuf all = FORE_STRBUF_INIT;
    fore_strbuf_printf(&all, "%s\n%s\n%s\n%s\n%d\n%s", FORE_HOOKS_HASH, go->root,
                       go->version, go->arch, go->atomics, merge ? merge : "");
    uint64_t h = fore_hash(all.at, all.n);
    fore_strbuf_release(&all);
    return h;
}

enum fore_status fore_go_overlay(const struct fore_go_install *go, const char *folder,
                                 const char *merge, struct fore_strbuf *json_path,
                                 struct fore_err *e)
{
    char sub[PATH_MAX];
    snprintf(sub, sizeof sub, "%s/%s-%016llx", folder, go->version,
             (unsigned long long)identity(go, merge));
    for (char *p = sub + strlen(folder) + 1; *p; p++)
        if (*p == ' ' || *p == '/')
            *p = '_';
    fore_strbuf_clear(json_path);
    fore_strbuf_printf(json_path, "%s/overlay.json", sub);
    if (!merge && access(json_path->at, R_OK) == 0)
        return FORE_OK;

    struct overlay o = {
        .go = go, .folder = sub, .missing = FORE_STRBUF_INIT, .json = FORE_STRBUF_INIT};
    enum fore_status s = build(&o, e);
    if (s == FORE_OK && merge)
        s = merge_user(&o, merge, e);
    if (s == FORE_OK) {
        fore_strbuf_puts(&o.json, "\n  }\n}\n");
        s = write_all(json_path->at, o.json.at, o.json.n, e);
    }
    overlay_release(&o);
    return s;
}

enum fore_status fore_go_overlay_folder(char out[4096], struct fore_err *e)
{
    const char *own = getenv("FORESEE_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int n = own && *own   ? snprintf(out, 4096, "%s/go", own)
            : xdg && *xdg ? snprintf(out, 4096, "%s/foresee/go", xdg)
            : home && *home
                ? snprintf(out, 4096, "%s/.cache/foresee/go", home)
                : snprintf(out, 4096, "/tmp/foresee-%u/go", (unsigned)getuid());
    if (out[0] != '/' || n >= 4096)
        return fore_fail(e, FORE_USAGE,
                         "the folder for overlays must be absolute, not '%s'", out);
    return FORE_OK;
}
