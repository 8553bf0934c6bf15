/* Goroutines that libraries keep for as long as the program runs, by the function that they
 * begin in (newer compilers wrap a method, and name the wrapper after the function that creates
 * the goroutine). They wait for ever by design, and end no wait of the program's own. */
#include "analysis/observed/observed_state.h"

#include "base/path.h"
#include <string.h>

#define ALARM "testing.(*M).startAlarm"

static const char *const workers[] = {
    /* Go's own library */
    "database/sql.(*DB).connectionCleaner",
    "database/sql.(*DB).connectionOpener",
    "database/sql.(*DB).startCleanerLocked",
    "database/sql.OpenDB",
    "net/http.(*Transport).dialConn.gowrap",
    "net/http.(*http2clientConnReadLoop)",
    "net/http.(*persistConn).readLoop",
    "net/http.(*persistConn).writeLoop",
    "os/signal.loop",
    /* logs and metrics, which flush now and then */
    "contrib.go.opencensus.io/exporter",
    "github.com/golang/glog.(*fileSink).flushDaemon",
    "github.com/golang/glog.(*loggingT).flushDaemon",
    "github.com/golang/glog.init",
    "github.com/rcrowley/go-metrics.(*meterArbiter).tick",
    "go.opencensus.io/stats/view.(*worker).start",
    "go.opencensus.io/stats/view.init",
    "gopkg.in/natefinch/lumberjack.v2.(*Logger).millRun",
    "k8s.io/klog.(*loggingT).flushDaemon",
    "k8s.io/klog.init",
    "k8s.io/klog/v2.(*flushDaemon)",
    "k8s.io/klog/v2.(*loggingT).flushDaemon",
    "k8s.io/klog/v2.init",
    /* clients */
    "github.com/desertbit/timer.timerRoutine",
    "github.com/ipfs/go-log/writer.(*MirrorWriter).logRoutine",
    "github.com/syndtr/goleveldb/leveldb/util.(*BufferPool).drain",
    "github.com/valyala/fasthttp/stackless.",
    /* frameworks of tests */
    "github.com/onsi/ginkgo/internal/specrunner.(*SpecRunner).registerForInterrupts",
    "github.com/onsi/ginkgo/v2/internal/interrupt_handler.(*InterruptHandler)",
    ALARM,
};

static bool begins_in(const struct fore_observed *o, uint32_t thread,
                      const char *function)
{
    const struct fore_tables *tab = &o->trace->tables;
    const char *begins = fore_tables_text(tab, tab->threads.at[thread].begins);
    return fore_begins_with(begins, function);
}

bool fore_observed_is_background(const struct fore_observed *o, uint32_t thread)
{
    for (size_t i = 0; i < sizeof workers / sizeof *workers; i++)
        if (begins_in(o, thread, workers[i]))
            return true;
    return false;
}

bool fore_observed_is_alarm(const struct fore_observed *o, uint32_t thread)
{
    return begins_in(o, thread, ALARM);
}
