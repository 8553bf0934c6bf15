#include "capture/control/schedule.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    const char *word;
    unsigned kind;
} words[] = {
#define X(word, number) {#word, number},
    FORE_OPERATIONS(X)
#undef X
};

unsigned fore_schedule_kind(const char *word)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i].word, word))
            return words[i].kind;
    return 0;
}

const char *fore_schedule_word(unsigned kind)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].kind == kind)
            return words[i].word;
    return NULL;
}

bool fore_schedule_is_access(unsigned kind)
{
    return kind >= FORE_OP_read && kind <= FORE_OP_rmw;
}

uint32_t fore_schedule_path(const struct fore_schedule *s, const char *path)
{
    for (uint32_t i = 0; i < s->paths_n; i++)
        if (!strcmp(s->paths[i], path))
            return i;
    return UINT32_MAX;
}

/* ---- one line ---- */

/* Makes room for one more; false if there is no memory. */
static bool grow_array(void *array, uint32_t n, uint32_t *cap, size_t size)
{
    void *bigger;
    if (n < *cap)
        return true;
    uint32_t wanted = *cap ? *cap * 2 : 64;
    memcpy(&bigger, array, sizeof bigger);
    if (!(bigger = realloc(bigger, wanted * size)))
        return false;
    memcpy(array, &bigger, sizeof bigger);
    *cap = wanted;
    return true;
}

/* Is it numbers with dots between them, beginning with 1? 1.0 is a Go program's clock. */
static bool is_path(const char *s)
{
    if (!strcmp(s, FORE_SCHEDULE_CLOCK))
        return true;
    if (strncmp(s, "1", 1) || (s[1] && s[1] != '.'))
        return false;
    for (; *s; s++)
        if ((*s < '0' || *s > '9') && (*s != '.' || s[1] < '1' || s[1] > '9'))
            return false;
    return true;
}

static bool path_of(struct fore_schedule *s, char *path, uint32_t *index)
{
    if (!is_path(path))
        return false;
    *index = s->paths_n && !strcmp(s->paths[s->paths_n - 1], path)
                 ? s->paths_n - 1
                 : fore_schedule_path(s, path);
    if (*index != UINT32_MAX)
        return true;
    if (!grow_array(&s->paths, s->paths_n, &s->paths_cap, sizeof *s->paths))
        return false;
    s->paths[ *index = s->paths_n++] = path;
    return true;
}

static bool number_of(const char *word, uint64_t *n)
{
    char *end;
    if (!word || *word < '0' || *word > '9')
        return false;
    errno = 0;
    *n = strtoull(word, &end, 10);
    return !*end && !errno;
}

/* Reads file:line:column, from the right, since a file's name may have colons. */
static bool site_of(struct fore_schedule_step *step, char *word)
{
    uint64_t number[2];
    for (int i = 1; i >= 0; i--) {
        char *colon = strrchr(word, ':');
        if (!colon || !number_of(colon + 1, &number[i]))
            return false;
        *colon = 0;
    }
    step->line = (uint32_t)number[0];
    step->column = (uint32_t)number[1];
    step->file = word;
    return *word;
}

/* Reads what follows the operation: a place and a count, the case of a select, how the step is
 * meant. */
static bool rest_of_step(struct fore_schedule_step *step, char **save)
{
    uint64_t n;
    for (char *w; (w = strtok_r(NULL, " ", save));) {
        if (!strcmp(w, "waits"))
            step->how = FORE_SCHEDULE_WAITS;
        else if (!strcmp(w, "stands"))
            step->how = FORE_SCHEDULE_STANDS;
        else if (!strcmp(w, "of") && number_of(strtok_r(NULL, " ", save), &n) && n &&
                 n < UINT32_MAX)
            step->object = (uint32_t)n;
        else if (number_of(w, &n) && step->kind == FORE_OP_select)
            step->choice = (int32_t)n;
        else if (number_of(w, &n) && n)
            step->count = (uint32_t)n;
        else if (step->file || !site_of(step, w))
            return false;
    }
    return !fore_schedule_is_access(step->kind) || step->file;
}

static bool read_step(struct fore_schedule *s, char *path, char **save)
{
    struct fore_schedule_step step = {.choice = -1, .count = 1};
    char *second = strtok_r(NULL, " ", save);
    char *third = second ? strtok_r(NULL, " ", save) : NULL;
    uint64_t before;
    if (!third || !path_of(s, path, &step.path))
        return false;
    if (!strcmp(second, "goes")) {
        step.how = FORE_SCHEDULE_GOES;
        if (!number_of(third, &before) || !before || before > UINT32_MAX)
            return false;
        step.count = (uint32_t)before;
    } else {
        if (!number_of(second, &before) || before > UINT32_MAX ||
            !(step.kind = (uint16_t)fore_schedule_kind(third)) ||
            !rest_of_step(&step, save))
            return false;
        step.before = (uint32_t)before;
    }
    if (!grow_array(&s->steps, s->n, &s->cap, sizeof *s->steps))
        return false;
    s->steps[s->n++] = step;
    return true;
}

static bool read_then(struct fore_schedule *s, char **save)
{
    static const struct {
        const char *name;
        bool depth;
    } all[] = {
#define X(name, depth) {#name, depth},
        FORE_STRATEGIES(X)
#undef X
    };
    uint64_t depth = 0, n = 0;
    const char *name = strtok_r(NULL, " ", save), *w;
    for (unsigned i = 0; name && i < FORE_STRATEGY_KINDS; i++) {
        if (strcmp(all[i].name, name))
            continue;
        s->then = (enum fore_strategy_kind)i;
        if (i == FORE_STRATEGY_free)
            return true;
        if (all[i].depth && !number_of(strtok_r(NULL, " ", save), &depth))
            return false;
        s->depth = (uint32_t)depth;
        if (!number_of(strtok_r(NULL, " ", save), &s->seed))
            return false;
        if ((w = strtok_r(NULL, " ", save)) && !number_of(w, &n))
            return false;
        s->length = n;
        return true;
    }
    return false;
}

/* The rest of the line is the name. */
static bool read_object(struct fore_schedule *s, const char *number, char *name)
{
    enum { MOST = 1 << 24 };
    uint64_t n;
    if (!number_of(number, &n) || !n || n > MOST || !name || !*name)
        return false;
    if (n >= s->objects_n) {
        uint32_t wanted = (uint32_t)n + 64;
        char **bigger = realloc(s->objects, wanted * sizeof *bigger);
        if (!bigger)
            return false;
        memset(bigger + s->objects_n, 0, (wanted - s->objects_n) * sizeof *bigger);
        s->objects = bigger;
        s->objects_n = wanted;
    }
    s->objects[n] = name;
    return true;
}

static bool read_option(struct fore_schedule *s, const char *word, char **save)
{
    const char *value = strtok_r(NULL, " ", save);
    uint64_t n;
    if (!strcmp(word, "object"))
        return read_object(s, value, *save);
    if (!strcmp(word, "spurious") || !strcmp(word, "stops")) {
        *(*word == 's' && word[1] == 'p' ? &s->spurious : &s->stops) = true;
        return !value;
    }
    if (!value)
        return false;
    if (!strcmp(word, "points")) {
        s->sync_points = !strcmp(value, "sync");
        return s->sync_points || !strcmp(value, "memory");
    }
    if (!strcmp(word, "counts")) {
        s->at_least = !strcmp(value, "recorded");
        return s->at_least || !strcmp(value, "all");
    }
    if (!strcmp(word, "timers")) {
        if (!number_of(value, &n) || n > FORE_SCHEDULE_MOST_EARLY_MS)
            return false;
        s->early_ns = n * 1000000;
        return true;
    }
    if (!strcmp(word, "starts")) /* for tests of a Go program only */
        return number_of(value, &n);
    if (!strcmp(word, "seed"))
        return s->seeded = number_of(value, &s->inner_seed);
    if (strcmp(word, "clock"))
        return false;
    s->real_clock = !strcmp(value, "real");
    if (s->real_clock)
        return true;
    value = strcmp(value, "virtual") ? NULL : strtok_r(NULL, " ", save);
    if (!value || !number_of(value, &n))
        return false;
    s->base_seconds = (int64_t)n;
    return true;
}

static bool read_line(struct fore_schedule *s, char *line)
{
    char *save = NULL, *word = strtok_r(line, " ", &save);
    if (!word || *word == '#')
        return true;
    if (*word >= '0' && *word <= '9')
        return read_step(s, word, &save);
    if (!strcmp(word, "then"))
        return read_then(s, &save);
    return read_option(s, word, &save);
}

/* ---- all of them ---- */

bool fore_schedule_parse(struct fore_schedule *s, char *text, char *why, size_t size)
{
    unsigned number = 0;
    *s = (struct fore_schedule){.text = text,
                                .base_seconds = 1700000000,
                                .early_ns = FORE_SCHEDULE_EARLY_MS * 1000000ull};
    for (char *at = text, *end; *at; at = end) {
        end = at + strcspn(at, "\n");
        if (*end)
            *end++ = 0;
        number++;
        if (number == 1 ? strcmp(at, FORE_SCHEDULE_FIRST_LINE) != 0 : !read_line(s, at)) {
            snprintf(why, size, "%u: not a line of a schedule", number);
            return false;
        }
    }
    if (!number)
        snprintf(why, size, "1: empty, and not a schedule");
    return number;
}

void fore_schedule_release(struct fore_schedule *s)
{
    free(s->text);
    free(s->steps);
    free(s->paths);
    free(s->objects);
    *s = (struct fore_schedule){0};
}

bool fore_schedule_read(struct fore_schedule *s, const char *path, char *why, size_t size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    *s = (struct fore_schedule){0};
    bool good = fd >= 0 && !fstat(fd, &st) && (text = malloc((size_t)st.st_size + 1));
    size_t n = 0;
    for (ssize_t got = 1; good && got > 0 && n < (size_t)st.st_size;) {
        got = read(fd, text + n, (size_t)st.st_size - n);
        good = got >= 0;
        n += got > 0 ? (size_t)got : 0;
    }
    if (good) {
        text[n] = 0;
        good = fore_schedule_parse(s, text, why, size);
    } else {
        snprintf(why, size, "cannot be read: %s", strerror(errno));
        free(text);
    }
    if (fd >= 0)
        close(fd);
    return good;
}
