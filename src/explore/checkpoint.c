/* The manifest, a text:
 *
 *     foresee checkpoint 1
 *     scheduler NAME
 *     start MARK            what the search is good for: see fore_frontier_mark
 *     cut GENERATION PARTS LEVEL BITS SAVED
 *
 * and beside it the parts MANIFEST.GENERATION.RANK: blocks of a letter and a length (8 bytes each
 * with the length), E last, with the checksum of all that came before:
 *
 *     F fingerprints   N a state of this level   X a state of the next   R counts and bugs
 *
 * The manifest is replaced in one step, after all parts of its generation are written, so that there is a
 * whole checkpoint at every moment, whichever rank is killed. A part that a failing machine has
 * torn is recognised by its checksum. */
#include "explore/checkpoint.h"

#include "base/bitset.h"
#include "base/hash.h"
#include "base/path.h"
#include "explore/frontier.h"
#include "explore/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAD "foresee checkpoint 1\n"
#define PRINTS 4096 /* words of a block of fingerprints */

struct checkpoint_part {
    struct fore_levels *k;
    FILE *f;
    uint64_t sum;
    bool failed;
    uint64_t words[PRINTS];
    size_t n;
};

static void part_name(const char *manifest, uint64_t generation, uint32_t rank, char *out,
                      size_t size)
{
    snprintf(out, size, "%s.%" PRIu64 ".%u", manifest, generation, rank);
}

static void write_block(struct checkpoint_part *p, char kind, const void *at, size_t n)
{
    uint64_t head = (uint64_t)n << 8 | (unsigned char)kind;
    p->failed |= fwrite(&head, sizeof head, 1, p->f) != 1;
    p->failed |= n && fwrite(at, 1, n, p->f) != n;
    p->sum = fore_hash_more(fore_hash_mix(p->sum, head), at, n);
}

static void write_prints(struct checkpoint_part *p)
{
    if (p->n)
        write_block(p, 'F', p->words, p->n * sizeof *p->words);
    p->n = 0;
}

static void add_print(void *user, struct fore_print print)
{
    struct checkpoint_part *p = user;
    p->words[p->n++] = print.at;
    if (p->k->plan->wide)
        p->words[p->n++] = print.more;
    if (p->n == PRINTS)
        write_prints(p);
}

struct records {
    struct checkpoint_part *p;
    char kind;
    uint64_t index;
    const uint64_t *dead;
    size_t words;
};

static void add_record(void *user, const char *at, size_t n)
{
    struct records *r = user;
    uint64_t i = r->index++;
    if (i / 64 >= r->words || !fore_bit_has(r->dead, i))
        write_block(r->p, r->kind, at, n);
}

static void write_all(struct checkpoint_part *p)
{
    struct fore_levels *k = p->k;
    struct fore_strbuf results = FORE_STRBUF_INIT;
    fore_levels_settle(k);
    fore_store_each(&k->store, add_print, p);
    write_prints(p);
    struct records now = {p, 'N', k->taken, k->dead_now.at, k->dead_now.n};
    struct records next = {p, 'X', 0, k->dead_next.at, k->dead_next.n};
    fore_backlog_each(&k->now, add_record, &now);
    fore_backlog_each(&k->next, add_record, &next);
    fore_levels_pack_results(k, &results);
    write_block(p, 'R', results.at, results.n);
    uint64_t sum = p->sum;
    write_block(p, 'E', &sum, sizeof sum);
    fore_strbuf_release(&results);
}

void fore_checkpoint_write(struct fore_levels *k)
{
    char name[4096];
    part_name(k->plan->save, ++k->saves, k->t->rank, name, sizeof name);
    struct checkpoint_part *p = fore_calloc(1, sizeof *p);
    p->k = k;
    p->f = fopen(name, "we");
    p->failed = !p->f;
    if (p->f) {
        write_all(p);
        p->failed |= fclose(p->f) != 0;
    }
    if (p->failed) {
        (void)!fore_fail(&k->err, FORE_IO, "%s: cannot be written: %s", name,
                         strerror(errno));
        k->now.failed = true;
    }
    fore_free(p);
}

static void remove_generation(const char *manifest, uint64_t generation, uint32_t parts)
{
    char name[4096];
    for (uint32_t i = 0; i < parts; i++) {
        part_name(manifest, generation, i, name, sizeof name);
        unlink(name);
    }
}

void fore_checkpoint_complete(struct fore_levels *k)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.new", k->plan->save);
    FILE *f = fopen(name, "we");
    bool failed = !f;
    if (f) {
        fprintf(f, HEAD "scheduler %s\nstart %016" PRIx64 "\n",
                k->s->opt->scheduler->name, fore_frontier_mark(k->s));
        fprintf(f, "cut %" PRIu64 " %u %u %d %" PRIu64 "\n", k->saves, k->t->ranks,
                k->level, k->plan->wide ? 128 : 64, k->saves);
        failed |= fclose(f) != 0;
    }
    if (failed || rename(name, k->plan->save)) {
        (void)!fore_fail(&k->err, FORE_IO, "%s: cannot be written: %s", k->plan->save,
                         strerror(errno));
        k->now.failed = true;
        return;
    }
    remove_generation(k->plan->save, k->saves - 1, k->saved_parts);
    k->saved_parts = k->t->ranks;
}

struct manifest {
    uint64_t generation, saves;
    uint32_t parts, level;
    int bits;
};

static enum fore_status read_manifest(struct fore_levels *k, const char *file,
                                      struct manifest *m, struct fore_err *e)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    FORE_TRY(fore_strbuf_read_file(&text, file, e));
    const char *at = text.at, *line;
    enum fore_status s = FORE_OK;
    if (!fore_begins_with(text.at, HEAD))
        s = fore_fail(e, FORE_SYNTAX,
                      "%s: this is no checkpoint: it does not begin with `foresee "
                      "checkpoint 1`",
                      file);
    line = s == FORE_OK ? fore_frontier_line(&at, "start") : NULL;
    if (s == FORE_OK && (!line || strtoull(line, NULL, 16) != fore_frontier_mark(k->s)))
        s = fore_fail(e, FORE_MEANING,
                      "%s: saved for another system or harness, or with other "
                      "--faults, --max-depth, --fingerprint, --no-symmetry",
                      file);
    line = s == FORE_OK ? fore_frontier_line(&at, "cut") : NULL;
    if (s == FORE_OK &&
        (!line || sscanf(line, "%" SCNu64 " %u %u %d %" SCNu64, &m->generation, &m->parts,
                         &m->level, &m->bits, &m->saves) != 5))
        s = fore_fail(e, FORE_SYNTAX, "%s: the line `cut` is missing or damaged", file);
    if (s == FORE_OK && (m->bits == 128) != k->plan->wide)
        s = fore_fail(e, FORE_MEANING, "%s: saved with --fingerprint %d", file, m->bits);
    fore_strbuf_release(&text);
    return s;
}

/* A fingerprint of a state that was visited. It is of one rank only, so it is new here. */
static void load_prints(struct fore_levels *k, const struct fore_strbuf *block)
{
    size_t step = k->plan->wide ? 16 : 8;
    for (size_t i = 0; i + step <= block->n; i += step) {
        struct fore_print p = {0, 0};
        memcpy(&p, block->at + i, step);
        if (fore_levels_owner(k, p) != k->t->rank)
            continue;
        if (fore_store_full(&k->store))
            fore_store_spill(&k->store);
        fore_store_visit(&k->store, p);
        fore_vec_clear(&k->store.maybes);
    }
}

static bool load_block(struct fore_levels *k, char kind, bool mine,
                       const struct fore_strbuf *block)
{
    struct fore_bytes_in in = {block->at, block->at + block->n, false};
    switch (kind) {
    case 'F':
        load_prints(k, block);
        return true;
    case 'N':
    case 'X':
        return fore_levels_load(k, kind == 'N' ? &k->now : &k->next, block->at, block->n);
    case 'R':
        return !mine || fore_levels_merge_results(k, &in);
    default:
        return false;
    }
}

/* `mine`: its counts are added to those of this rank. */
static enum fore_status read_part(struct fore_levels *k, const char *name, bool mine,
                                  struct fore_err *e)
{
    FILE *f = fopen(name, "re");
    if (!f)
        return fore_fail(e, FORE_IO, "%s: %s", name, strerror(errno));
    struct fore_strbuf block = FORE_STRBUF_INIT;
    uint64_t head, sum = 0, sealed = 0;
    bool good = true, end = false;
    while (good && !end && !k->s->stop && fread(&head, sizeof head, 1, f) == 1) {
        size_t n = head >> 8;
        good = n < (uint64_t)1 << 32;
        fore_strbuf_clear(&block);
        good = good && fread(fore_strbuf_extend(&block, n), 1, n, f) == n;
        end = (char)head == 'E';
        if (end && good && n == sizeof sealed)
            memcpy(&sealed, block.at, n);
        else
            good = good && load_block(k, (char)head, mine, &block);
        if (!end)
            sum = fore_hash_more(fore_hash_mix(sum, head), block.at, n);
        fore_explorer_poll(k->s);
    }
    fclose(f);
    fore_strbuf_release(&block);
    if (!k->s->stop && (!good || !end || sum != sealed))
        return fore_fail(e, FORE_SYNTAX, "%s: this part of a checkpoint is damaged",
                         name);
    return FORE_OK;
}

enum fore_status fore_checkpoint_read(struct fore_levels *k, const char *file,
                                      struct fore_err *e)
{
    struct manifest m = {0};
    FORE_TRY(read_manifest(k, file, &m, e));
    k->level = m.level;
    k->saves = m.saves;
    k->saved_parts = k->plan->save && !strcmp(k->plan->save, file) ? m.parts : 0;
    for (uint32_t i = 0; i < m.parts; i++) {
        char name[4096];
        part_name(file, m.generation, i, name, sizeof name);
        FORE_TRY(read_part(k, name, i % k->t->ranks == k->t->rank, e));
    }
    k->s->row.bound = FORE_BOUND_NONE;
    k->s->row.spent = FORE_SPENT_NOTHING;
    return FORE_OK;
}
