/* Text for people: colours, columns, lines that are broken at blanks. */
#ifndef FORE_REPORT_PEN_H
#define FORE_REPORT_PEN_H

#include "report/report.h"

/* How wide labels are. */
enum { FORE_PEN_LABEL = FORE_REPORT_TEXT_COLUMN - 2 };

struct fore_pen {
    struct fore_strbuf *out;
    const struct fore_report_options *o;
};

/* Switches to a colour ("31;1"), or back ("0"), if colours are wanted. */
void fore_pen_color(struct fore_pen *p, const char *sgr);
/* Names come from traces and may hold anything: what is no text is escaped. What is wider than the
 * limit ends with a mark, within the limit. */
void fore_pen_text(struct fore_pen *p, const char *s, size_t limit);
void fore_pen_plain(struct fore_pen *p, const char *s);
void fore_pen_colored(struct fore_pen *p, const char *sgr, const char *s);
/* Blanks, until what was written since position `from` of the output is so wide. */
void fore_pen_pad(struct fore_pen *p, size_t from, size_t columns);
/* The label of a line. */
void fore_pen_label(struct fore_pen *p, const char *s);
/* Ends the line without blanks at its end. */
void fore_pen_end_line(struct fore_pen *p);
/* Breaks at blanks; continuation lines start under the first. */
void fore_pen_wrapped(struct fore_pen *p, const char *s);

#endif
