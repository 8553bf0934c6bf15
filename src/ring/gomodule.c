#include "ring/gomodule.h"

#include "base/mem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Opens the go.mod of the folder or of the nearest one above it; `folder` becomes that one. */
static FILE *open_nearest(char folder[PATH_MAX])
{
    char path[PATH_MAX + 8];
    for (;;) {
        snprintf(path, sizeof path, "%s/go.mod", folder);
        FILE *f = fopen(path, "re");
        char *slash = strrchr(folder, '/');
        if (f || !slash)
            return f;
        *slash = '\0';
    }
}

static void add_place(struct fore_gomodule *m, const char *module, const char *folder)
{
    fore_vec_push(&m->places,
                  (struct fore_gomodule_place){fore_strdup(module), fore_strdup(folder)});
}

/* Reads "replace a => ./b" and "a v1 => ../b", also within a block. */
static void read_replacement(struct fore_gomodule *m, const char *folder, char *line)
{
    char module[512], place[PATH_MAX], path[2 * PATH_MAX];
    char *arrow = strstr(line, "=>");
    if (!arrow)
        return;
    if (!strncmp(line, "replace ", 8))
        line += 8;
    if (sscanf(line, " %511s", module) != 1 || sscanf(arrow + 2, " %4095s", place) != 1)
        return;
    if (place[0] == '/')
        snprintf(path, sizeof path, "%s", place);
    else if (place[0] == '.')
        snprintf(path, sizeof path, "%s/%s", folder,
                 place + 2 * !strncmp(place, "./", 2));
    else
        return;
    add_place(m, module, path);
}

void fore_gomodule_find(struct fore_gomodule *m, const char *folder)
{
    char at[PATH_MAX], line[4096], module[512];
    snprintf(at, sizeof at, "%s", folder);
    FILE *f = at[0] == '/' ? open_nearest(at) : NULL;
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (sscanf(line, " module \"%511[^\"]", module) == 1 ||
            sscanf(line, " module %511s", module) == 1)
            add_place(m, module, at);
        else
            read_replacement(m, at, line);
    }
    if (f)
        fclose(f);
}

void fore_gomodule_release(struct fore_gomodule *m)
{
    for (size_t i = 0; i < m->places.n; i++) {
        fore_free(m->places.at[i].module);
        fore_free(m->places.at[i].folder);
    }
    fore_vec_release(&m->places);
}

static bool is_there(struct fore_strbuf *out, const char *folder, const char *middle,
                     size_t n, const char *rest)
{
    fore_strbuf_clear(out);
    fore_strbuf_printf(out, "%s%.*s%s", folder, (int)n, middle, rest);
    return access(out->at, R_OK) == 0;
}

bool fore_gomodule_file(const struct fore_gomodule *m, const char *name,
                        struct fore_strbuf *out)
{
    const char *version = strchr(name, '@');
    for (size_t i = 0; name[0] != '/' && i < m->places.n; i++) {
        const struct fore_gomodule_place *p = &m->places.at[i];
        size_t n = strlen(p->module);
        if (!strncmp(name, p->module, n) && (name[n] == '/' || name[n] == '@') &&
            is_there(out, p->folder, "", 0, name + n + strcspn(name + n, "/")))
            return true;
    }
    const char *rest = version ? strchr(version, '/') : NULL;
    if (name[0] == '/' || !rest || version == name || !m->places.n)
        return false;
    char vendored[PATH_MAX];
    snprintf(vendored, sizeof vendored, "%s/vendor/", m->places.at[0].folder);
    return is_there(out, vendored, name, (size_t)(version - name), rest);
}
