/* Text in XML: SVG pictures, JUnit reports. */
#ifndef FORE_REPORT_XML_H
#define FORE_REPORT_XML_H

#include "base/strbuf.h"

#include <stdbool.h>
#include <stdint.h>

/* At most `limit` characters (SIZE_MAX: all), and a mark if there are more. Markup becomes text;
 * in an attribute so does white space, which would be folded. XML 1.0 cannot carry most control
 * characters, not even escaped: they become U+FFFD. */
void fore_xml(struct fore_strbuf *out, const char *s, size_t limit, bool attribute);

#endif
