#include "cli/kept.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PROGRAMS = 16 };

static void programs_folder(char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/programs", fore_store_folder());
}

/* Calls `each`, if there is one, for all of them; how many there are. */
static unsigned visit_programs(void (*each)(const char *path))
{
    char folder[PATH_MAX], path[PATH_MAX + 256];
    unsigned n = 0;
    programs_folder(folder);
    DIR *d = opendir(folder);
    for (struct dirent *f; d && (f = readdir(d));) {
        if (f->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, f->d_name);
        if (each)
            each(path);
        n++;
    }
    if (d)
        closedir(d);
    return n;
}

static void remove_program(const char *path)
{
    unlink(path);
}

void fore_kept_clear(void)
{
    visit_programs(remove_program);
}

static bool copy_program(const char *from, const char *to)
{
    struct stat st;
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    bool good = in >= 0 && !fstat(in, &st);
    if (good)
        out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
    for (off_t left = good ? st.st_size : 0; (good = out >= 0) && left > 0;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        if (n <= 0) {
            good = false;
            break;
        }
        left -= n;
    }
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out))
        good = false;
    if (!good && out >= 0)
        unlink(to);
    return good;
}

bool fore_kept_copy(const char *from, const char *to)
{
    return !link(from, to) || copy_program(from, to);
}

const char *fore_kept_add(struct fore_arena *a, const char *path, const char *name)
{
    char folder[PATH_MAX], full[PATH_MAX], to[PATH_MAX + 300];
    programs_folder(folder);
    if ((mkdir(fore_store_folder(), 0777) && errno != EEXIST) ||
        (mkdir(folder, 0777) && errno != EEXIST) || !realpath(folder, full))
        return NULL;
    unsigned n = visit_programs(NULL);
    if (n >= MOST_PROGRAMS)
        return NULL;
    snprintf(to, sizeof to, "%s/%u-%.200s", full, n + 1, fore_base_name(name));
    if (!fore_kept_copy(path, to))
        return NULL;
    return fore_arena_strdup(a, to);
}

/* ---- how they are started ---- */

static void add_word(struct fore_strbuf *out, const char *word)
{
    fore_strbuf_add(out, word ? word : "", word ? strlen(word) + 1 : 1);
}

bool fore_started_write(const char *path, const struct fore_started *s)
{
    struct fore_strbuf text = FORE_STRBUF_INIT;
    add_word(&text, s->directory);
    add_word(&text, s->from);
    add_word(&text, s->to);
    for (char **w = s->argv; *w; w++)
        add_word(&text, *w);
    bool good = fore_file_write(path, text.at, text.n, NULL) == FORE_OK;
    fore_strbuf_release(&text);
    return good;
}

static const char *word_or_null(struct fore_arena *a, const char *word)
{
    return *word ? fore_arena_strdup(a, word) : NULL;
}

bool fore_started_read(const char *path, struct fore_arena *a, struct fore_started *s)
{
    enum { BEFORE = 3 };
    struct fore_strbuf text = FORE_STRBUF_INIT;
    struct fore_words words = {0};
    bool good = fore_strbuf_read_file(&text, path, NULL) == FORE_OK;
    for (const char *at = text.at; good && at < text.at + text.n; at += strlen(at) + 1)
        fore_vec_push(&words.v, at);
    good = good && words.v.n > BEFORE;
    if (good) {
        s->directory = word_or_null(a, words.v.at[0]);
        s->from = word_or_null(a, words.v.at[1]);
        s->to = word_or_null(a, words.v.at[2]);
        s->argv = FORE_NEW_ARRAY(a, char *, words.v.n - BEFORE + 1);
        for (size_t i = BEFORE; i < words.v.n; i++)
            s->argv[i - BEFORE] = fore_arena_strdup(a, words.v.at[i]);
        s->argv[words.v.n - BEFORE] = NULL;
    }
    fore_vec_release(&words.v);
    fore_strbuf_release(&text);
    return good;
}

static void started_path(uint64_t id, char path[PATH_MAX])
{
    char text[17];
    fore_finding_id_text(id, text);
    snprintf(path, PATH_MAX, "%s/%s.started", fore_store_folder(), text);
}

void fore_kept_remember(uint64_t id, const struct fore_started *s)
{
    char path[PATH_MAX];
    started_path(id, path);
    fore_started_write(path, s);
}

bool fore_kept_recall(uint64_t id, struct fore_arena *a, struct fore_started *s)
{
    char path[PATH_MAX];
    started_path(id, path);
    *s = (struct fore_started){0};
    return fore_started_read(path, a, s);
}
