#include "history/txn/txns.h"

#include "history/op.h"

enum { SHOWN_ELEMENTS = 8 };

void fore_txns_init(struct fore_txns *h, const char *name)
{
    *h = (struct fore_txns){.name = fore_strdup(name), .init = FORE_NIL};
}

void fore_txns_release(struct fore_txns *h)
{
    for (size_t i = 0; i < h->keys.n; i++)
        fore_vec_release(&h->keys.at[i].longest);
    fore_vec_release(&h->keys);
    fore_vec_release(&h->list);
    fore_vec_release(&h->ops);
    fore_vec_release(&h->processes);
    fore_map_release(&h->key_ids);
    fore_map_release(&h->process_ids);
    fore_vals_release(&h->values);
    fore_free(h->name);
    h->name = NULL;
}

/* Long lists keep their end: that is where transactions differ. */
static void list_text(const struct fore_txns *h, const fore_val *items, size_t n,
                      struct fore_strbuf *out)
{
    size_t from = n > SHOWN_ELEMENTS ? n - SHOWN_ELEMENTS : 0;
    fore_strbuf_puts(out, from ? "[... " : "[");
    for (size_t i = from; i < n; i++) {
        fore_strbuf_puts(out, i > from ? " " : "");
        fore_val_text(&h->values, items[i], out);
    }
    fore_strbuf_putc(out, ']');
}

static void name_text(const struct fore_txns *h, fore_val v, struct fore_strbuf *out)
{
    struct fore_bytes b = fore_val_bytes(&h->values, v);
    if (fore_val_kind(v) == FORE_VAL_STRING)
        fore_strbuf_add(out, b.at, b.n);
    else
        fore_val_text(&h->values, v, out);
}

void fore_txn_op_text(const struct fore_txns *h, const struct fore_txn_op *op,
                      struct fore_strbuf *out)
{
    static const char *const words[] = {"r ", "w ", "append "};
    const struct fore_txn_key *k = &h->keys.at[op->key];
    fore_strbuf_puts(out, words[op->act]);
    name_text(h, k->name, out);
    fore_strbuf_putc(out, ' ');
    if (op->act != FORE_ACT_READ || k->kind != FORE_KEY_LIST) {
        fore_val_text(&h->values, op->value, out);
    } else if (op->strays) {
        size_t n;
        const fore_val *items = fore_val_items(&h->values, op->value, &n);
        list_text(h, items, n, out);
    } else {
        list_text(h, k->longest.at, op->length, out);
    }
}

void fore_txn_text(const struct fore_txns *h, uint32_t txn, struct fore_strbuf *out)
{
    const struct fore_txn *t = &h->list.at[txn];
    for (uint32_t i = 0; i < t->n; i++) {
        fore_strbuf_puts(out, i ? "; " : "");
        fore_txn_op_text(h, &h->ops.at[t->first + i], out);
    }
}
