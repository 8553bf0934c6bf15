/* Monitors that are shared objects (include/foresee/monitor.h), each in a process of its
 * own so that one that crashes or loops takes nothing else down. States here are sets of
 * the object's states, numbered as they occur. */
#ifndef FORE_SPEC_PLUGIN_H
#define FORE_SPEC_PLUGIN_H

#include "spec/spec.h"

struct fore_plugin;

enum fore_status fore_plugin_open(const struct fore_spec *s,
                                  const struct fore_property *p, struct fore_plugin **out,
                                  struct fore_err *e) FORE_MUST_USE;
void fore_plugin_close(struct fore_plugin *p);
uint32_t fore_plugin_start(const struct fore_plugin *p);
/* After a failure the state stays as it is. */
uint32_t fore_plugin_step(struct fore_plugin *p, uint32_t state,
                          const struct fore_val *vals);
bool fore_plugin_bad(const struct fore_plugin *p, uint32_t state);
enum fore_status fore_plugin_failure(const struct fore_plugin *p,
                                     struct fore_err *e) FORE_MUST_USE;

#endif
