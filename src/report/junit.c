/* JUnit XML: one test case per finding, failed from warning on; for CI that shows tests. */
#include "report/report.h"

#include "report/xml.h"

#include <string.h>

static void write_attribute(struct fore_strbuf *out, const char *name, const char *value)
{
    fore_strbuf_printf(out, " %s=\"", name);
    fore_xml(out, value, SIZE_MAX, true);
    fore_strbuf_putc(out, '"');
}

static void test_case(struct fore_strbuf *out, const struct fore_finding *x,
                      const struct fore_report_options *o)
{
    char id[17];
    fore_finding_id_text(x->id, id);
    struct fore_strbuf message = FORE_STRBUF_INIT;
    fore_report_unnumbered(x->message, &message);
    fore_strbuf_puts(out, "    <testcase");
    write_attribute(out, "classname", x->package[0] ? x->package : x->rule->name);
    fore_strbuf_printf(out, " name=\"%s ", id);
    if (x->test[0]) {
        fore_xml(out, x->test, SIZE_MAX, true);
        fore_strbuf_puts(out, ": ");
    }
    fore_xml(out, message.at, SIZE_MAX, true);
    fore_strbuf_puts(out, "\"");
    if (x->places.n && x->places.at[0].location[0])
        write_attribute(out, "file", x->places.at[0].location);
    fore_strbuf_puts(out, ">\n");
    if (x->suppressed) {
        fore_strbuf_puts(out, "      <skipped message=\"in the baseline\"/>\n");
    } else if (x->level >= FORE_LEVEL_WARNING) {
        struct fore_strbuf text = FORE_STRBUF_INIT;
        struct fore_report_options plain = *o;
        plain.color = false;
        fore_report_finding(x, &plain, &text);
        fore_strbuf_puts(out, "      <failure");
        write_attribute(out, "type", fore_verdict_name(x->verdict));
        write_attribute(out, "message", message.at);
        fore_strbuf_putc(out, '>');
        fore_xml(out, text.at, SIZE_MAX, false);
        fore_strbuf_puts(out, "</failure>\n");
        fore_strbuf_release(&text);
    }
    fore_strbuf_puts(out, "    </testcase>\n");
    fore_strbuf_release(&message);
}

void fore_report_junit(const struct fore_findings *f, const struct fore_report_options *o,
                       struct fore_strbuf *out)
{
    size_t failed = 0, skipped = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        const struct fore_finding *x = f->list.at[i];
        skipped += x->suppressed;
        failed += !x->suppressed && x->level >= FORE_LEVEL_WARNING;
    }
    /* Without a finding the suite still has one case, so that a green run is visible. */
    size_t tests = f->list.n ? f->list.n : 1;
    fore_strbuf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    fore_strbuf_printf(out,
                       "  <testsuite name=\"foresee\" tests=\"%zu\" failures=\"%zu\" "
                       "skipped=\"%zu\" errors=\"0\">\n",
                       tests, failed, skipped);
    for (size_t i = 0; i < f->list.n; i++)
        test_case(out, f->list.at[i], o);
    if (!f->list.n)
        fore_strbuf_puts(out,
                         "    <testcase classname=\"foresee\" name=\"no findings\"/>\n");
    fore_strbuf_puts(out, "  </testsuite>\n</testsuites>\n");
}
