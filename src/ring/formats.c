/* The table of formats. It is here, above trace/, because ring files are one of them. */
#include "trace/formats.h"

#include "ring/fsr_read.h"

static const struct fore_format text = {
    .name = "text",
    .extension = "trace",
    .summary = "the text notation, writable by hand",
    .matches = fore_text_matches,
    .read = fore_text_read,
    .write = fore_text_write,
};

static const struct fore_format fst = {
    .name = "fst",
    .extension = "fst",
    .summary = "the binary format, compressed and checked",
    .matches = fore_fst_matches,
    .read = fore_fst_read,
    .write = fore_fst_write,
};

static const struct fore_format std_lines = {
    .name = "std",
    .extension = "std",
    .summary = "RAPID's lines, one event each",
    .matches = fore_std_matches,
    .read = fore_std_read,
};

static const struct fore_format fsr = {
    .name = "fsr",
    .extension = "fsr",
    .summary = "ring files, as captures write them",
    .matches = fore_fsr_matches,
    .read = fore_fsr_read,
    .quick = true,
};

const struct fore_format *const fore_formats[] = {&fst, &fsr, &text, &std_lines, NULL};
