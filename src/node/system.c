#include "node/system.h"

#include "base/arena.h"
#include "base/json.h"
#include "node/complete.h"
#include "node/service.h"
#include "node/trail.h"
#include "node/values.h"
#include "node/workload.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Messages. Requests come first, then answers; what they are in JSON stands in the tables below. */
enum message_kind {
    MESSAGE, /* from node to node */
    TIMER,   /* of a node, to itself */
    SHOW,    /* of a service, to itself: a node is shown what another one changed */
    ECHO,
    GENERATE,
    BROADCAST,
    ADD,
    ADD_ELEMENT,
    READ,
    READ_ALL,
    WRITE,
    CAS,
    ECHO_OK,
    GENERATE_OK,
    BROADCAST_OK,
    ADD_OK,
    READ_OK,
    WRITE_OK,
    CAS_OK,
    KINDS
};

static const struct foresee_message messages[KINDS] = {
    [MESSAGE] = {"Message", "body"},
    [TIMER] = {"Timer", "at"},
    [SHOW] = {"Show", "node what"},
    [ECHO] = {"Echo", "value"},
    [GENERATE] = {"Generate", ""},
    [BROADCAST] = {"Broadcast", "value"},
    [ADD] = {"Add", "value"},
    [ADD_ELEMENT] = {"AddElement", "value"},
    [READ] = {"Read", "key"},
    [READ_ALL] = {"ReadAll", ""},
    [WRITE] = {"Write", "key value"},
    [CAS] = {"Cas", "key from to"},
    [ECHO_OK] = {"EchoOk", "value"},
    [GENERATE_OK] = {"GenerateOk", "id"},
    [BROADCAST_OK] = {"BroadcastOk", ""},
    [ADD_OK] = {"AddOk", ""},
    [READ_OK] = {"ReadOk", "value"},
    [WRITE_OK] = {"WriteOk", ""},
    [CAS_OK] = {"CasOk", "worked"},
};

/* A request: its type, and what its fields are called. */
static const struct {
    const char *type, *field[3];
} requests[KINDS] = {
    [ECHO] = {"echo", {"echo"}},
    [GENERATE] = {"generate", {NULL}},
    [BROADCAST] = {"broadcast", {"message"}},
    [ADD] = {"add", {"delta"}},
    [ADD_ELEMENT] = {"add", {"element"}},
    [READ] = {"read", {"key"}},
    [READ_ALL] = {"read", {NULL}},
    [WRITE] = {"write", {"key", "value"}},
    [CAS] = {"cas", {"key", "from", "to"}},
};

/* An answer: its type, and where its value is, in the first of these that it has. */
static const struct {
    const char *type;
    enum message_kind kind;
    const char *value[2];
} answers[] = {
    {"echo_ok", ECHO_OK, {"echo"}},
    {"generate_ok", GENERATE_OK, {"id"}},
    {"broadcast_ok", BROADCAST_OK, {NULL}},
    {"add_ok", ADD_OK, {NULL}},
    {"read_ok", READ_OK, {"value", "messages"}},
    {"write_ok", WRITE_OK, {NULL}},
    {"cas_ok", CAS_OK, {NULL}},
};

/* Errors that are answers: the key is not there; the value is another. */
enum { NO_KEY = 20, OTHER_VALUE = 22 };

struct node_state {
    uint64_t at;
    int64_t timer;       /* for which a Timer is under way */
    int64_t tells_state; /* it answers foresee_state */
};

struct service_state {
    int64_t text; /* a value, or 0 */
};

static struct {
    void (*hear)(const char *text, void *user);
    void *listener;
    struct fore_arena arena;
    struct fore_trails *trails;
    struct fore_node_command command;
    struct fore_workload workload;
} nodes;

/* What services know in the present state: see fore_nodes_see_service. */
static _Thread_local int64_t seen_services[FORE_SERVICES];

/* What a node receives. */

/* The service that an actor is, or -1. */
static int service_of(int64_t id)
{
    int64_t i = id - (int64_t)nodes.workload.nodes - 1;
    return id > 0 && i >= 0 && i < FORE_SERVICES ? (int)i : -1;
}

const char *fore_nodes_service_name(int64_t id)
{
    int i = nodes.trails ? service_of(id) : -1;
    return i < 0 ? NULL : fore_service_names[i];
}

/* Clients have numbers below 0; the outsider is c0. */
static void open_line(struct fore_strbuf *out, int64_t from, int64_t to)
{
    int service = service_of(from);
    fore_strbuf_puts(out, "{\"src\":\"");
    if (service >= 0)
        fore_strbuf_puts(out, fore_service_names[service]);
    else
        fore_strbuf_printf(out, "%c%" PRId64, from > 0 ? 'n' : 'c',
                           from > 0 ? from : -from);
    fore_strbuf_printf(out, "\",\"dest\":\"n%" PRId64 "\",\"body\":", to);
}

static void write_hello(int64_t self, struct fore_strbuf *out)
{
    open_line(out, FORE_NODE_OUTSIDER, self);
    fore_strbuf_printf(out,
                       "{\"type\":\"init\",\"msg_id\":1,\"node_id\":\"n%" PRId64
                       "\",\"node_ids\":[",
                       self);
    for (unsigned i = 1; i <= nodes.workload.nodes; i++)
        fore_strbuf_printf(out, "%s\"n%u\"", i > 1 ? "," : "", i);
    fore_strbuf_puts(out, "]}}");
}

/* Every node is every other node's neighbour. */
static void write_topology(int64_t self, struct fore_strbuf *out)
{
    open_line(out, FORE_NODE_OUTSIDER, self);
    fore_strbuf_puts(out, "{\"type\":\"topology\",\"msg_id\":2,\"topology\":{");
    for (unsigned i = 1; i <= nodes.workload.nodes; i++) {
        fore_strbuf_printf(out, "%s\"n%u\":[", i > 1 ? "," : "", i);
        for (unsigned k = 1, n = 0; k <= nodes.workload.nodes; k++)
            if (k != i)
                fore_strbuf_printf(out, "%s\"n%u\"", n++ ? "," : "", k);
        fore_strbuf_putc(out, ']');
    }
    fore_strbuf_puts(out, "}}}");
}

static void write_request(const struct foresee_received *m, struct fore_strbuf *out)
{
    open_line(out, m->from, m->to);
    fore_strbuf_printf(out, "{\"type\":\"%s\",\"msg_id\":%" PRId64,
                       requests[m->kind].type, -m->from);
    for (size_t i = 0; i < 3 && requests[m->kind].field[i]; i++) {
        fore_strbuf_printf(out, ",\"%s\":", requests[m->kind].field[i]);
        fore_write_value(m->field[i], out);
    }
    fore_strbuf_puts(out, "}}");
}

/* What a node sends. */

static void complain(struct foresee *f, const char *what, const char *line)
{
    struct fore_strbuf s = FORE_STRBUF_INIT;
    size_t n = strlen(line);
    fore_strbuf_printf(&s, "node n%" PRId64 " %s: ", f->self, what);
    fore_strbuf_add(&s, line, n < 300 ? n : 300);
    fore_strbuf_puts(&s, n < 300 ? "" : "...");
    f->ops->broken(f, s.at);
    fore_strbuf_release(&s);
}

static void send_error(struct foresee *f, int64_t to, const struct fore_json *body,
                       const char *line)
{
    const struct fore_workload *w = &nodes.workload;
    int64_t code = fore_json_int(fore_json_get(body, "code"), -1);
    const char *asked = -to <= (int64_t)w->n_asked ? w->asked[-to - 1] : "";
    if (!strcmp(asked, messages[READ].name) && code == NO_KEY)
        FORESEE_SEND(f, to, READ_OK, FORESEE_NIL);
    else if (!strcmp(asked, messages[CAS].name) &&
             (code == NO_KEY || code == OTHER_VALUE))
        FORESEE_SEND(f, to, CAS_OK, 0);
    else
        complain(f, "answers with an error", line);
}

static void send_answer(struct foresee *f, int64_t to, const struct fore_json *body,
                        const char *line)
{
    const char *type = fore_json_text(fore_json_get(body, "type"));
    size_t i = 0, n = sizeof answers / sizeof *answers;
    while (i < n && strcmp(type, answers[i].type) != 0)
        i++;
    if (fore_json_int(fore_json_get(body, "in_reply_to"), 0) != -to)
        complain(f, "answers what was not asked", line);
    else if (!strcmp(type, "error"))
        send_error(f, to, body, line);
    else if (i == n)
        complain(f, "sends a client a message that is no answer", line);
    else if (answers[i].kind == CAS_OK)
        FORESEE_SEND(f, to, CAS_OK, 1);
    else if (answers[i].value[0]) {
        const struct fore_json *v = fore_json_get(body, answers[i].value[0]);
        if (!v && answers[i].value[1])
            v = fore_json_get(body, answers[i].value[1]);
        FORESEE_SEND(f, to, answers[i].kind, fore_value_of_json(v));
    } else {
        FORESEE_SEND(f, to, answers[i].kind);
    }
}

/* The number behind the letter: n3, c2. */
static bool read_name(const char *s, char letter, int64_t *number)
{
    char *end;
    if (*s != letter || s[1] < '0' || s[1] > '9')
        return false;
    *number = strtoll(s + 1, &end, 10);
    return !*end;
}

/* Another node, or a service. */
static bool find_receiver(const struct foresee *f, const char *dest, int64_t *to)
{
    int service = fore_service_named(dest);
    if (service < 0)
        return read_name(dest, 'n', to) && *to >= 1 && *to <= nodes.workload.nodes;
    *to = nodes.workload.nodes + 1 + service;
    return *to <= f->agents;
}

static void send_line(struct foresee *f, struct fore_arena *a, const char *line, size_t n)
{
    const struct fore_json *v = NULL;
    struct fore_err e = {0};
    char *text = fore_arena_strndup(a, line, n);
    int64_t from, to;
    if (fore_json_read(a, "output", line, n, &v, &e) != FORE_OK) {
        complain(f, "writes what is not JSON", text);
        return;
    }
    const struct fore_json *body = fore_json_get(v, "body");
    const char *dest = fore_json_text(fore_json_get(v, "dest"));
    if (!read_name(fore_json_text(fore_json_get(v, "src")), 'n', &from) ||
        from != f->self)
        complain(f, "sends a message whose src is not its own name", text);
    else if (!body || body->kind != FORE_JSON_OBJECT ||
             !fore_json_text(fore_json_get(body, "type"))[0])
        complain(f, "sends a message whose body has no type", text);
    else if (read_name(dest, 'c', &to))
        to == FORE_NODE_OUTSIDER ? (void)0 : send_answer(f, -to, body, text);
    else if (find_receiver(f, dest, &to)) {
        struct fore_strbuf s = FORE_STRBUF_INIT;
        fore_json_write(body, &s);
        FORESEE_SEND(f, to, MESSAGE, fore_value_of_text(s.at, s.n));
        fore_strbuf_release(&s);
    } else {
        complain(
            f, "sends a message whose dest is neither a node nor a client nor a service",
            text);
    }
}

/* Posts the messages of a step that was taken. */
static void follow_step(struct foresee *f, struct node_state *s,
                        const struct fore_node_step *step)
{
    struct fore_arena a = FORE_ARENA_INIT;
    s->at = step->to;
    if (nodes.hear && step->err[0])
        nodes.hear(step->err, nodes.listener);
    for (const char *at = step->out, *nl; (nl = strchr(at, '\n')); at = nl + 1)
        if (nl > at)
            send_line(f, &a, at, (size_t)(nl - at));
    if (step->why[0]) {
        struct fore_strbuf why = FORE_STRBUF_INIT;
        fore_strbuf_printf(&why, "node n%" PRId64 " %s", f->self, step->why);
        size_t said = strcspn(step->err, "\n");
        if (said)
            fore_strbuf_printf(&why, "; it said: %.*s", said < 400 ? (int)said : 400,
                               step->err);
        f->ops->broken(f, why.at);
        fore_strbuf_release(&why);
    } else if (step->timer != s->timer) {
        s->timer = step->timer;
        if (step->timer != FORE_NODE_NEVER)
            FORESEE_SEND(f, f->self, TIMER, step->timer);
    }
    fore_arena_release(&a);
}

/* Takes a step; asks a node that tells its state for it. */
static const struct fore_node_step *
take_step(const struct foresee *f, const struct node_state *s, struct fore_trail_input in)
{
    struct fore_strbuf question = FORE_STRBUF_INIT;
    if (s->tells_state) {
        open_line(&question, FORE_NODE_OUTSIDER, f->self);
        fore_strbuf_printf(&question, "{\"type\":\"foresee_state\",\"msg_id\":%d}}",
                           FORE_NODE_ASKING);
        in.question = question.at;
    }
    const struct fore_node_step *step = fore_trail_step(nodes.trails, s->at, &in);
    fore_strbuf_release(&question);
    return step;
}

static const struct fore_node_step *receive_line(struct foresee *f, struct node_state *s,
                                                 const char *line)
{
    const struct fore_trail_input in = {.kind = FORE_INPUT_LINE, .line = line};
    const struct fore_node_step *step = take_step(f, s, in);
    follow_step(f, s, step);
    return step;
}

/* The answer to init, or NULL. */
static const struct fore_json *init_answer(struct fore_arena *a, const char *out)
{
    for (const char *nl; (nl = strchr(out, '\n')); out = nl + 1) {
        const struct fore_json *v = NULL;
        struct fore_err e = {0};
        if (fore_json_read(a, "output", out, (size_t)(nl - out), &v, &e) != FORE_OK)
            continue;
        const struct fore_json *body = fore_json_get(v, "body");
        if (!strcmp(fore_json_text(fore_json_get(body, "type")), "init_ok"))
            return body;
    }
    return NULL;
}

/* A node that waits for its clock may still answer. */
static void check_hello(struct foresee *f, struct node_state *s,
                        const struct fore_node_step *step)
{
    struct fore_arena a = FORE_ARENA_INIT;
    const struct fore_json *answer = init_answer(&a, step->out);
    s->tells_state = answer && fore_json_true(fore_json_get(answer, "foresee_state"));
    if (!answer && !step->why[0] && step->timer == FORE_NODE_NEVER)
        complain(f, "does not answer init with init_ok; it said",
                 step->out[0] ? step->out : "nothing");
    fore_arena_release(&a);
}

static void say_hello(struct foresee *f, struct node_state *s)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    s->timer = FORE_NODE_NEVER;
    s->tells_state = 0;
    write_hello(f->self, &line);
    check_hello(f, s, receive_line(f, s, line.at));
    if (nodes.workload.topology) {
        fore_strbuf_clear(&line);
        write_topology(f->self, &line);
        receive_line(f, s, line.at);
    }
    fore_strbuf_release(&line);
}

static void start_node(struct foresee *f, void *state, const int64_t args[FORESEE_FIELDS])
{
    struct node_state *s = state;
    (void)args;
    s->at = fore_trail_start(nodes.trails, (unsigned)f->self);
    say_hello(f, s);
}

static void restart_node(struct foresee *f, void *state)
{
    struct node_state *s = state;
    const struct fore_node_step *step = fore_trail_step(
        nodes.trails, s->at, &(struct fore_trail_input){.kind = FORE_INPUT_CRASH});
    s->timer = step->timer;
    follow_step(f, s, step);
    say_hello(f, s);
}

static void on_request(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    write_request(m, &line);
    receive_line(f, state, line.at);
    fore_strbuf_release(&line);
}

static void on_message(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct fore_strbuf line = FORE_STRBUF_INIT;
    open_line(&line, m->from, m->to);
    fore_write_value(m->field[0], &line);
    fore_strbuf_putc(&line, '}');
    receive_line(f, state, line.at);
    fore_strbuf_release(&line);
}

/* A timer that was set anew since does not fire. */
static void on_timer(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct node_state *s = state;
    if (s->timer == m->field[0])
        follow_step(f, s,
                    take_step(f, s,
                              (struct fore_trail_input){.kind = FORE_INPUT_TIMER,
                                                        .when = m->field[0]}));
}

/* Services. */

static const char *state_text(const struct service_state *s)
{
    return s->text ? fore_nodes_value(s->text) : "";
}

static void on_service(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct service_state *s = state;
    struct fore_arena a = FORE_ARENA_INIT;
    struct fore_service_answer r;
    struct fore_err e = {0};
    const struct fore_json *body = NULL;
    const char *text = fore_nodes_value(m->field[0]);
    if (fore_json_read(&a, "message", text, strlen(text), &body, &e) == FORE_OK) {
        fore_service_ask((enum fore_service)service_of(f->self), state_text(s), m->from,
                         body, &r);
        s->text = fore_value_of_text(r.state.at, r.state.n);
        FORESEE_SEND(f, m->from, MESSAGE, fore_value_of_text(r.body.at, r.body.n));
        for (int64_t i = 1; r.show.n && i <= nodes.workload.nodes; i++)
            if (i != m->from)
                FORESEE_SEND(f, f->self, SHOW, i,
                             fore_value_of_text(r.show.at, r.show.n));
        fore_service_answer_release(&r);
    }
    fore_arena_release(&a);
}

static void on_show(struct foresee *f, void *state, const struct foresee_received *m)
{
    struct service_state *s = state;
    struct fore_strbuf after = FORE_STRBUF_INIT;
    fore_service_show((enum fore_service)service_of(f->self), state_text(s), m->field[0],
                      fore_nodes_value(m->field[1]), &after);
    s->text = fore_value_of_text(after.at, after.n);
    fore_strbuf_release(&after);
}

static const foresee_handler service_handlers[KINDS] = {
    [MESSAGE] = on_service, [SHOW] = on_show};

static const foresee_handler handlers[KINDS] = {
    [MESSAGE] = on_message,     [TIMER] = on_timer,       [ECHO] = on_request,
    [GENERATE] = on_request,    [BROADCAST] = on_request, [ADD] = on_request,
    [ADD_ELEMENT] = on_request, [READ] = on_request,      [READ_ALL] = on_request,
    [WRITE] = on_request,       [CAS] = on_request,
};

static const struct foresee_role roles[] = {
    {"node", sizeof(struct node_state), start_node, handlers, restart_node},
    {"lin-kv", sizeof(struct service_state), NULL, service_handlers, NULL},
    {"seq-kv", sizeof(struct service_state), NULL, service_handlers, NULL},
    {"lww-kv", sizeof(struct service_state), NULL, service_handlers, NULL},
    {"lin-tso", sizeof(struct service_state), NULL, service_handlers, NULL},
};

const struct foresee_actor_system fore_node_system = {sizeof(struct foresee_actor_system),
                                                      FORESEE_ACTOR_ABI,
                                                      FORE_NODES_NAME,
                                                      messages,
                                                      KINDS,
                                                      roles,
                                                      1 + FORE_SERVICES};

void fore_nodes_see_service(uint32_t role, const void *state)
{
    const struct service_state *s = state;
    seen_services[role - 1] = s->text;
}

static int is_complete(const void *state, int64_t self)
{
    const struct node_state *s = state;
    return fore_node_is_complete(&(struct fore_question){.trails = nodes.trails,
                                                         .workload = &nodes.workload,
                                                         .at = s->at,
                                                         .node = self,
                                                         .services = seen_services});
}

static const struct foresee_proposition propositions[] = {{"complete", 0, is_complete}};
const struct foresee_propositions fore_node_propositions = {
    sizeof(struct foresee_propositions), 1, propositions};

enum fore_status fore_nodes_open(const char *file, const char *harness,
                                 double handler_seconds, bool copies, struct fore_err *e)
{
    signal(SIGPIPE, SIG_IGN);
    FORE_TRY(fore_workload_read(&nodes.workload, &nodes.arena, file, harness, e));
    nodes.command = (struct fore_node_command){.argv = nodes.workload.argv,
                                               .time = nodes.workload.time,
                                               .preload = nodes.workload.preload,
                                               .seconds = handler_seconds * 0.8,
                                               .seed = nodes.workload.seed,
                                               .no_copies = !copies};
    nodes.trails = fore_trails_new(&nodes.command);
    const char *shared = getenv(FORE_NODES_SHARED);
    if (!shared)
        return FORE_OK;
    const char *steps = fore_arena_printf(&nodes.arena, "%s.steps", shared);
    const char *texts = fore_arena_printf(&nodes.arena, "%s.texts", shared);
    FORE_TRY(fore_trails_share(nodes.trails, steps, e));
    return fore_values_share(texts, e);
}

struct fore_trail_counts fore_nodes_count(void)
{
    return nodes.trails ? fore_trails_count(nodes.trails) : (struct fore_trail_counts){0};
}

void fore_nodes_listen(void (*hear)(const char *text, void *user), void *user)
{
    nodes.hear = hear;
    nodes.listener = user;
}

void fore_nodes_forget(void)
{
    fore_trails_free(nodes.trails);
    nodes.trails = fore_trails_new(&nodes.command);
}

void fore_nodes_debug(const char *debugger)
{
    fore_trails_debug(nodes.trails, debugger);
}

void fore_nodes_close(void)
{
    if (nodes.trails)
        fore_trails_free(nodes.trails);
    nodes.trails = NULL;
    fore_values_close();
    fore_arena_release(&nodes.arena);
}
