/* An overlay for the go command: copies of some of Go's own files with hooks in them, and the
 * JSON file that puts them in the place of the originals for one build. Neither the
 * installation nor the user's sources are touched. */
#ifndef FORE_GO_OVERLAY_H
#define FORE_GO_OVERLAY_H

#include "base/err.h"
#include "base/strbuf.h"

struct fore_go_install {
    const char *root;    /* GOROOT */
    const char *version; /* "go1.26.8" */
    const char *arch;    /* GOARCH */
    bool atomics;        /* calls of sync/atomic will be calls, and so can be recorded */
};

enum { FORE_GO_OLDEST = 19 };

/* Makes the overlay below `folder` (or finds it there, made earlier by this same foresee for
 * this same Go) and gives the path of its JSON file. `merge`, if not NULL, is a JSON file of
 * the user's own, whose replacements are kept. */
enum fore_status fore_go_overlay(const struct fore_go_install *go, const char *folder,
                                 const char *merge, struct fore_strbuf *json_path,
                                 struct fore_err *e) FORE_MUST_USE;

/* The folder for overlays: FORESEE_CACHE, or where caches are. */
enum fore_status fore_go_overlay_folder(char out[4096], struct fore_err *e) FORE_MUST_USE;

#endif
