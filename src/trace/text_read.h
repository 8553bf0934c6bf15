/* Shared by the files of the text reader: text_read.c knows declarations and lines, text_act.c
 * events, text_channel.c those of channels. */
#ifndef FORE_TRACE_TEXT_READ_H
#define FORE_TRACE_TEXT_READ_H

#include "trace/check.h"
#include "trace/text_tok.h"

enum { FORE_TEXT_CASES = 65536 }; /* of one select */

struct fore_text_reader {
    struct fore_tok tok;
    struct fore_tables *tables;
    struct fore_sink *sink;
    struct fore_check check;
    FORE_VEC(struct fore_event) events; /* the batch */
    FORE_VEC(struct fore_case) cases;
    FORE_VEC(struct fore_expect) expects;
    FORE_VEC(bool) timeout; /* by thread: its last pre has a timeout */
    bool stopped, header, any;
    bool torn; /* the text says that its source was torn */
    uint64_t lost;
};

/* An object or a thread by its name, added if new. */
enum fore_status fore_text_read_object(struct fore_text_reader *r,
                                       enum fore_object_kind kind,
                                       uint32_t *id) FORE_MUST_USE;
enum fore_status fore_text_read_thread(struct fore_text_reader *r,
                                       uint32_t *id) FORE_MUST_USE;
enum fore_status fore_text_read_place(struct fore_text_reader *r, uint32_t *id,
                                      bool *fresh) FORE_MUST_USE;
/* Reads one act; the cases of a select go to r->cases. */
enum fore_status fore_text_read_act(struct fore_text_reader *r,
                                    struct fore_event *ev) FORE_MUST_USE;

/* In text_channel.c; each function reads what follows the word. */
enum fore_status fore_text_read_cases(struct fore_text_reader *r,
                                      struct fore_event *ev) FORE_MUST_USE;
enum fore_status fore_text_read_post(struct fore_text_reader *r,
                                     struct fore_event *ev) FORE_MUST_USE;
enum fore_status fore_text_read_close(struct fore_text_reader *r,
                                      struct fore_event *ev) FORE_MUST_USE;
enum fore_status fore_text_read_message(struct fore_text_reader *r,
                                        uint64_t *n) FORE_MUST_USE;

#endif
