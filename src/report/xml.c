#include "report/xml.h"

#include "base/utf8.h"

#include <string.h>

static bool is_xml_char(uint32_t cp)
{
    return (cp >= 0x20 || cp == '\n' || cp == '\t') && cp != 0xfffe && cp != 0xffff;
}

void fore_xml(struct fore_strbuf *out, const char *s, size_t limit, bool attribute)
{
    size_t n = strlen(s);
    for (size_t shown = 0; n && shown < limit; shown++) {
        uint32_t cp = 0;
        size_t len = fore_utf8_next(s, n, &cp);
        if (!len || !is_xml_char(cp))
            fore_strbuf_puts(out, "\xef\xbf\xbd");
        else if (cp == '<' || cp == '>' || cp == '&' || cp == '"' ||
                 (attribute && cp < 0x20))
            fore_strbuf_printf(out, "&#%u;", (unsigned)cp);
        else
            fore_strbuf_add(out, s, len);
        len = len ? len : 1;
        s += len;
        n -= len;
    }
    if (n)
        fore_strbuf_puts(out, "…");
}
