/* Maelstrom's services, which foresee plays: stores of keys and values that nodes ask.
 *
 * A service's state is a text, so that it is one value of the explorer's. A service is
 * deterministic: where Maelstrom would choose at random, a message of the service to itself is
 * under way, and the explorer chooses when it comes:
 *
 *   lin-kv   one store
 *   seq-kv   one store; a node reads the store as it was when it last changed it, or was shown it since
 *   lww-kv   a store for each node; changes come to the others later, and the last one wins
 *   lin-tso  numbers that grow */
#ifndef FORE_NODE_SERVICE_H
#define FORE_NODE_SERVICE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/strbuf.h"

#include <stdint.h>

enum fore_service {
    FORE_SERVICE_LIN,
    FORE_SERVICE_SEQ,
    FORE_SERVICE_LWW,
    FORE_SERVICE_TSO,
    FORE_SERVICES
};

extern const char *const fore_service_names[FORE_SERVICES];

struct fore_service_answer {
    struct fore_strbuf state; /* afterwards */
    struct fore_strbuf body;  /* of the reply */
    struct fore_strbuf show;  /* what other nodes are to be shown later; "": nothing */
};

/* A node asks the service. The state "" is the one at the start. */
void fore_service_ask(enum fore_service which, const char *state, int64_t node,
                      const struct fore_json *body, struct fore_service_answer *a);
/* Shows a node what another one changed; gives the state afterwards. */
void fore_service_show(enum fore_service which, const char *state, int64_t node,
                       const char *show, struct fore_strbuf *after);
void fore_service_answer_release(struct fore_service_answer *a);

#endif
