/* Programs as text, for people who look at what failed. */
#include "oracle/verdict/program.h"

#include <stdio.h>

const char *const var_names[VARS] = {"x", "y", "z"};
const char *const atomic_names[ATOMICS] = {"a", "f"};
const char *const chan_names[CHANS] = {"c", "d", "e"};
const char *const lock_names[LOCKS] = {"m", "n", "rw"};
const char *const thing_names[THINGS] = {"p", "i"};

static const char *value_text(uint8_t v, char out[8])
{
    snprintf(out, 8, v < FROM_REG ? "%u" : "r%u", v < FROM_REG ? v : v - FROM_REG);
    return out;
}

static void print_select(const struct program *p, const struct insn *x,
                         struct fore_strbuf *out)
{
    const struct choice *c = &p->selects[x->a];
    fore_strbuf_printf(out, "r%u = select", x->b);
    for (unsigned k = 0; k < c->n; k++)
        fore_strbuf_printf(out, " %s%c", chan_names[c->chan[k]], c->send[k] ? '!' : '?');
    fore_strbuf_puts(out, c->otherwise ? " default" : c->timeout ? " timeout" : "");
}

static void print_memory(const struct insn *x, struct fore_strbuf *out)
{
    char v[8];
    const char *name = x->op <= OP_WRITE ? var_names[x->a] : atomic_names[x->a];
    switch (x->op) {
    case OP_READ:
        fore_strbuf_printf(out, "r%u = %s", x->b, name);
        break;
    case OP_LOAD:
        fore_strbuf_printf(out, "r%u = load %s", x->b, name);
        break;
    case OP_WRITE:
        fore_strbuf_printf(out, "%s = %s", name, value_text(x->b, v));
        break;
    case OP_STORE:
        fore_strbuf_printf(out, "store %s = %s", name, value_text(x->b, v));
        break;
    case OP_CAS:
        fore_strbuf_printf(out, "r%u = cas %s %u->%u", x->d, name, x->b, x->c);
        break;
    default:
        fore_strbuf_printf(out, "r%u = fadd %s %u", x->d, name, x->b);
    }
}

static void print_sync(const struct insn *x, struct fore_strbuf *out)
{
    static const char *const words[] = {
        [OP_END] = "end",
        [OP_EXIT] = "exit",
        [OP_CSIGNAL] = "signal q",
        [OP_CBROADCAST] = "broadcast q",
        [OP_ACQUIRE] = "acquire s",
        [OP_RAN] = "ran o",
        [OP_WGDONE] = "done w",
        [OP_WGWAIT] = "wait w",
        [OP_ARM] = "arm t",
        [OP_FIRE] = "fire t",
        [OP_JOIN] = "",
    };
    switch (x->op) {
    case OP_RELEASE:
        fore_strbuf_printf(out, "release s %u", x->b);
        break;
    case OP_BARRIER:
        fore_strbuf_printf(out, "barrier b %u", x->b);
        break;
    case OP_ONCE:
        fore_strbuf_printf(out, "once o else %u", x->d);
        break;
    case OP_WGADD:
        fore_strbuf_printf(out, "add w %u", x->b);
        break;
    case OP_FORK:
    case OP_JOIN:
        fore_strbuf_printf(out, "%s %u", x->op == OP_FORK ? "fork" : "join", x->a + 1);
        break;
    default:
        fore_strbuf_puts(out, words[x->op] ? words[x->op] : "?");
    }
}

static void print_lock(const struct insn *x, struct fore_strbuf *out)
{
    const char *lock = lock_names[x->op == OP_CWAIT ? x->b : x->a];
    switch (x->op) {
    case OP_LOCK:
        fore_strbuf_printf(out, "lock %s", lock);
        break;
    case OP_UNLOCK:
        fore_strbuf_printf(out, "unlock %s", lock);
        break;
    case OP_RLOCK:
        fore_strbuf_printf(out, "rlock %s", lock);
        break;
    case OP_RUNLOCK:
        fore_strbuf_printf(out, "runlock %s", lock);
        break;
    case OP_CWAIT:
        fore_strbuf_printf(out, "cwait q %s", lock);
        break;
    default:
        fore_strbuf_printf(out, "r%u = %s %s", x->b,
                           x->op == OP_TRYLOCK ? "trylock" : "tryrlock", lock);
    }
}

static void print_insn(const struct program *p, const struct insn *x,
                       struct fore_strbuf *out)
{
    char v[8];
    if (x->op == OP_IF)
        fore_strbuf_printf(out, "if r%u %s %u else %u", x->a, x->c ? "!=" : "==", x->b,
                           x->d);
    else if (x->op == OP_MOVE)
        fore_strbuf_printf(out, "r%u = r%u", x->a, x->b);
    else if (x->op >= OP_LOCK && x->op <= OP_CWAIT)
        print_lock(x, out);
    else if (x->op >= OP_READ && x->op <= OP_FADD)
        print_memory(x, out);
    else if (x->op == OP_SEND)
        fore_strbuf_printf(out, "%s! %s", chan_names[x->a], value_text(x->b, v));
    else if (x->op == OP_RECV)
        fore_strbuf_printf(out, "r%u = %s?", x->b, chan_names[x->a]);
    else if (x->op == OP_CLOSE)
        fore_strbuf_printf(out, "close %s", chan_names[x->a]);
    else if (x->op == OP_SELECT)
        print_select(p, x, out);
    else if (x->op == OP_IN)
        fore_strbuf_printf(out, "r%u = in %s", x->b, thing_names[x->a]);
    else if (x->op == OP_OUT)
        fore_strbuf_printf(out, "out %s %s", thing_names[x->a], value_text(x->b, v));
    else
        print_sync(x, out);
}

void program_print(const struct program *p, struct fore_strbuf *out)
{
    static const char *const kinds[] = {"plain", "readers-first", "writers-first"};
    static const char *const things[] = {"pipe", "file", "source"};
    fore_strbuf_printf(out, "# family: %s; c d e hold %u %u %u; rw is %s; i is a %s\n",
                       p->family, p->capacity[0], p->capacity[1], p->capacity[2],
                       kinds[p->locks[2]], things[p->things[1]]);
    for (unsigned t = 0; t < p->threads; t++) {
        fore_strbuf_printf(out, "# thread %u%s\n", t + 1, p->root[t] ? "" : ", forked");
        for (unsigned i = 0; i < p->length[t]; i++) {
            fore_strbuf_printf(out, "#   %3u  ", op_line(t, i));
            print_insn(p, &p->code[t][i], out);
            fore_strbuf_putc(out, '\n');
        }
    }
}
