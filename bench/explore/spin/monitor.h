/* Is what was answered so far linearizable? Operations are numbered; sets of them are bits. For each
 * that was invoked, `before` are those that had been answered by then. The model says with KIND and
 * ARG what they are. */
enum { WRITE, READ, ENQUEUE, DEQUEUE, ADD, CONTAINS };

static unsigned char op_kind[] = {KIND}, op_arg[] = {ARG};

/* Takes operation i in the object's state (a value; up to three items; a set); 0: not with this result. */
static int apply_op(int i, int answered, int result, unsigned *state)
{
    unsigned x = op_arg[i], bit = 1u << x, first = *state & 255, was = *state;
    switch (op_kind[i]) {
    case WRITE:
        *state = x;
        return 1;
    case READ:
        return !answered || was == (unsigned)result;
    case ENQUEUE:
        *state |= !first ? x : !(was >> 8) ? x << 8 : x << 16;
        return 1;
    case DEQUEUE:
        *state >>= 8;
        return !answered || first == (unsigned)result;
    case ADD:
        *state |= bit;
        return !answered || !(was & bit) == result;
    default:
        return !answered || !!(was & bit) == result;
    }
}

static int linearizable(unsigned done, unsigned inv, unsigned ans, unsigned char *before,
                        unsigned char *res, unsigned state)
{
    if (!(ans & ~done))
        return 1;
    for (int i = 0; inv >> i; i++) {
        unsigned next = state;
        if (!(inv >> i & 1) || done >> i & 1 || before[i] & ~done)
            continue;
        if (apply_op(i, ans >> i & 1, res[i], &next) &&
            linearizable(done | 1u << i, inv, ans, before, res, next))
            return 1;
    }
    return 0;
}
