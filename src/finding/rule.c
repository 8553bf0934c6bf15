#include "finding/rule.h"

#include <string.h>

const struct fore_rule fore_rules[] = {
    {"send-on-closed", FORE_LEVEL_ERROR, "a send can find its channel closed and panic",
     "Let the sender close the channel, or make every sender finish before the close (a "
     "wait "
     "group, a done channel)."},
    {"close-of-closed", FORE_LEVEL_ERROR, "a channel can be closed twice, which panics",
     "Let one thread own the close, or guard it with a once."},
    {"blocked-forever", FORE_LEVEL_ERROR, "a wait that nobody is left to end",
     "Give the waiting side another way out (a buffer, a select with a done channel), or "
     "make "
     "sure that its partner always comes."},
    {"lock-cycle", FORE_LEVEL_ERROR, "locks can be taken in a cycle, so that all wait",
     "Take the locks in one order everywhere, or hold only one of them at a time."},
    {"wait-before-add", FORE_LEVEL_ERROR,
     "a wait group can be waited for before it is counted up",
     "Call `Add` before the `go` that starts the work, not inside it."},
    {"property-violation", FORE_LEVEL_ERROR,
     "another order of the same events breaks a property",
     "Order the events that the witness swaps: one lock around both, or a message "
     "between "
     "them."},
    {"lock-misuse", FORE_LEVEL_ERROR,
     "a thread unlocks a lock that it does not hold, or destroys one that is held",
     "Let the thread that locked it unlock it, once, and destroy it after that."},
    {"crash", FORE_LEVEL_ERROR, "the program crashed",
     "Run it in a debugger, or with an address sanitizer; the trace shows what came "
     "before."},
    {"assertion", FORE_LEVEL_ERROR, "an assertion failed, or the program aborted itself",
     "The witness is the order of steps that leads there; replay it in a debugger."},
    {"exit-status", FORE_LEVEL_ERROR, "the program ended with another status than 0",
     "The program's own output says why; replay the schedule to see it."},
    {"panic", FORE_LEVEL_ERROR, "a thread panicked and ended the program",
     "The program's own output says what it was; the trace shows what came before."},
    {"data-race", FORE_LEVEL_ERROR,
     "two accesses to the same memory, at least one a write, that nothing orders",
     "Protect both accesses by the same lock, or make them atomic."},
    {"not-linearizable", FORE_LEVEL_ERROR,
     "no sequential order of the operations explains their results",
     "The longest order that works shows which operation answered what it must not "
     "answer."},
    {"isolation-violation", FORE_LEVEL_ERROR,
     "transactions were not isolated as their level promises",
     "The cycle shows which transaction saw which, and which did not. Ask for a stronger "
     "level where it matters, or lock what is read."},
    {"livelock", FORE_LEVEL_WARNING, "a system can go round in a circle without progress",
     "Bound the retries, or make each round bring the system nearer to an answer."},
    {"receive-on-closed", FORE_LEVEL_NOTE, "a receive can find its channel closed",
     "Often intended. If not, check the second result of the receive."},
    {"alternative-communication", FORE_LEVEL_NOTE, "a message can reach another receiver",
     "Often intended. If the receiver matters, give each its own channel."},
    {NULL, FORE_LEVEL_NOTE, NULL, NULL},
};

const struct fore_rule *fore_rule_named(const char *name)
{
    for (const struct fore_rule *r = fore_rules; r->name; r++)
        if (strcmp(r->name, name) == 0)
            return r;
    return NULL;
}

static const char *const levels[] = {"note", "warning", "error"};
static const char *const verdicts[] = {"possible", "predicted", "observed", "confirmed"};
/* Indexed by enum fore_witness_of. */
static const char *const witnesses[] = {"program", "actors", "history",
                                        "sequential-history"};

const char *fore_level_name(enum fore_level l)
{
    return levels[l];
}

const char *fore_verdict_name(enum fore_verdict v)
{
    return verdicts[v];
}

const char *fore_witness_of_name(enum fore_witness_of w)
{
    return witnesses[w];
}

int fore_witness_of_parse(const char *s)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(witnesses[i], s) == 0)
            return i;
    return -1;
}

int fore_level_parse(const char *s)
{
    for (int i = 0; i < 3; i++)
        if (strcmp(levels[i], s) == 0)
            return i;
    return -1;
}

int fore_verdict_parse(const char *s)
{
    for (int i = 0; i < 4; i++)
        if (strcmp(verdicts[i], s) == 0)
            return i;
    return -1;
}

static const char *const tried[] = {"", "confirmed", "not confirmed", "refuted"};

const char *fore_tried_name(enum fore_tried t)
{
    return tried[t];
}

enum fore_tried fore_tried_parse(const char *s)
{
    for (int i = 1; i < 4; i++)
        if (strcmp(tried[i], s) == 0)
            return (enum fore_tried)i;
    return FORE_UNTRIED;
}
