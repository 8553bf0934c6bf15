/* Follows a schedule that a person or a file gives, step by step, and reports it. */
#include "explore/child_state.h"

#include "explore/script.h"
#include "explore/story.h"
#include "node/system.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static enum fore_status take_script_step(struct fore_explorer *s, const char *file,
                                         const struct fore_script_step *x,
                                         struct fore_strbuf *told, struct fore_err *e)
{
    const struct fore_actors *w = &s->world;
    if (x->msg >= w->msgs.n || w->msgs.at[x->msg].received_by)
        return fore_fail_at(e, FORE_MEANING, file, x->line, 1,
                            "message %u is not pending at step %u", x->msg,
                            fore_explorer_depth(s) + 1);
    if (!fore_actors_receivable(w, x->msg))
        return fore_fail_at(e, FORE_MEANING, file, x->line, 1,
                            "message %u waits behind message %u: their link is fifo",
                            x->msg, w->msgs.at[x->msg].ahead);
    if (!fore_actors_allows(w, x->msg, x->how))
        return fore_fail_at(e, FORE_MEANING, file, x->line, 1,
                            "message %u cannot have the fault %s here (see --faults)",
                            x->msg, fore_how_names[x->how]);
    fore_explorer_step(s, x->msg, x->how);
    fore_strbuf_printf(told, "%4u  ", fore_explorer_depth(s));
    fore_story_step(s, fore_explorer_depth(s), told);
    fore_strbuf_putc(told, '\n');
    return FORE_OK;
}

/* While a node takes a step: what it says belongs to that. */
void fore_child_hear(const char *text, void *user)
{
    struct fore_explorer *s = user;
    fore_vec_push(&s->said,
                  (struct fore_said){(uint32_t)s->world.steps.n, fore_strdup(text)});
}

#define NO_STEP SIZE_MAX

/* Takes the steps of a script and reports them; one of them in a debugger. */
static enum fore_status take_all(struct fore_explorer *s, const char *file,
                                 const char *text, size_t in_debugger,
                                 const char *debugger, struct fore_strbuf *told,
                                 struct fore_err *e)
{
    struct fore_script script;
    enum fore_status st = fore_script_read(&script, file, text, strlen(text), e);
    for (size_t i = 0; st == FORE_OK && i < script.steps.n && !s->world.trouble; i++) {
        if (i == in_debugger)
            fore_nodes_debug(debugger);
        st = take_script_step(s, file, &script.steps.at[i], told, e);
    }
    fore_script_release(&script);
    return st;
}

/* Goes on from where another scheduler, or a person, has come. */
enum fore_status fore_child_take_over(struct child *c, struct fore_explorer *s,
                                      struct fore_err *e)
{
    struct fore_strbuf told = FORE_STRBUF_INIT;
    if (!c->x->from)
        return FORE_OK;
    enum fore_status st =
        take_all(s, c->x->from_file, c->x->from, NO_STEP, NULL, &told, e);
    fore_strbuf_release(&told);
    if (st == FORE_OK)
        fore_explorer_rebase(s);
    return st;
}

static void send_told(struct child *c, const struct fore_strbuf *told)
{
    struct fore_strbuf json = FORE_STRBUF_INIT;
    fore_strbuf_json(&json, told->at, told->n);
    fore_child_send(c, FORE_FRAME_TOLD, &json);
    fore_strbuf_release(&json);
}

static void list_pending(const struct fore_explorer *s)
{
    struct fore_strbuf t = FORE_STRBUF_INIT;
    for (uint32_t m = fore_actors_first(&s->world); m;
         m = fore_actors_next(&s->world, m)) {
        fore_strbuf_printf(&t, "  %3u  ", m);
        fore_actor_text(s->world.msgs.at[m].r.from, &t);
        fore_strbuf_puts(&t, " -> ");
        fore_actor_text(s->world.msgs.at[m].r.to, &t);
        fore_strbuf_puts(&t, "  ");
        fore_message_text(&s->world, m, &t);
        fore_strbuf_putc(&t, '\n');
    }
    fprintf(stderr, "pending:\n%sreceive which (empty: end)? ", t.at);
    fflush(stderr);
    fore_strbuf_release(&t);
}

static enum fore_status ask_on(struct fore_explorer *s, struct fore_strbuf *told,
                               struct fore_err *e)
{
    char line[256];
    while (s->world.pending && !s->world.trouble) {
        struct fore_script one;
        list_pending(s);
        if (!fgets(line, sizeof line, stdin) || line[0] == '\n')
            break;
        enum fore_status st = fore_script_read(&one, "input", line, strlen(line), e);
        if (st == FORE_OK && one.steps.n)
            st = take_script_step(s, "input", &one.steps.at[0], told, e);
        fore_script_release(&one);
        if (st != FORE_OK)
            fprintf(stderr, "%s\n", e->msg);
        else
            fprintf(stderr, "%s", strrchr(told->at, ' ') ? "ok\n" : "");
    }
    *e = (struct fore_err){0};
    return FORE_OK;
}

static void tell_end(struct fore_explorer *s, struct fore_strbuf *told)
{
    uint64_t open = s->world.invoked & ~s->world.answered;
    fore_strbuf_putc(told, '\n');
    fore_story_diagram(s, told);
    fore_strbuf_putc(told, '\n');
    fore_story_history(s, told);
    fore_strbuf_putc(told, '\n');
    if (s->world.trouble)
        fore_strbuf_printf(told, "The system failed: %s\n", s->world.why.at);
    if (fore_histories_dead(&s->histories, fore_explorer_node(s))) {
        fore_strbuf_puts(told, "Not linearizable: ");
        fore_story_reason(s, told);
        fore_strbuf_putc(told, '\n');
    } else {
        fore_strbuf_puts(told, "The history is linearizable.\n");
    }
    if (s->world.pending)
        fore_strbuf_printf(told, "%u message%s still pending.\n", s->world.pending,
                           s->world.pending == 1 ? " is" : "s are");
    else if (open)
        fore_strbuf_puts(told, "No message is left, and an operation has no answer.\n");
}

/* Which step of the script is the last of the node that is to be debugged? Processes that are
 * elsewhere by then are forgotten, because the node itself must take that step. */
static enum fore_status find_debugged(struct child *c, size_t *step, struct fore_err *e)
{
    struct fore_explorer s;
    struct fore_strbuf unheard = FORE_STRBUF_INIT;
    *step = NO_STEP;
    if (!c->x->debugger)
        return FORE_OK;
    FORE_TRY(fore_child_open(c, &s, e));
    enum fore_status st =
        take_all(&s, c->x->script_file, c->x->script, NO_STEP, NULL, &unheard, e);
    for (size_t i = 0; st == FORE_OK && i < s.world.steps.n; i++)
        if (s.world.msgs.at[s.world.steps.at[i].msg].r.to == c->x->debug_node)
            *step = i;
    if (st == FORE_OK && *step == NO_STEP)
        st = fore_fail(e, FORE_USAGE, "node n%lld does nothing in this schedule",
                       (long long)c->x->debug_node);
    fore_explorer_release(&s);
    fore_strbuf_release(&unheard);
    fore_nodes_forget();
    return st;
}

/* Follows a script step by step and tells what happens. */
enum fore_status fore_child_follow(struct child *c, struct fore_err *e)
{
    struct fore_explorer s;
    struct fore_strbuf told = FORE_STRBUF_INIT;
    c->options.scheduler = &fore_scheduler_ex;
    c->options.faults = (struct fore_faults){1000, 1000, 1000, 60};
    size_t in_debugger;
    FORE_TRY(find_debugged(c, &in_debugger, e));
    FORE_TRY(fore_child_open(c, &s, e));
    fore_nodes_listen(fore_child_hear, &s);
    enum fore_status st = take_all(&s, c->x->script_file, c->x->script, in_debugger,
                                   c->x->debugger, &told, e);
    if (st == FORE_OK && c->x->ask)
        st = ask_on(&s, &told, e);
    if (st == FORE_OK) {
        tell_end(&s, &told);
        send_told(c, &told);
        bool dead = fore_histories_dead(&s.histories, fore_explorer_node(&s));
        if (s.world.steps.n && (dead || !s.world.pending))
            fore_explorer_end(&s);
        fore_child_send_row(c, &s);
    }
    fore_explorer_release(&s);
    fore_strbuf_release(&told);
    return st;
}
