// Marks what this package's objects are asked and what they answer, so that foresee can judge whether each
// behaved as if one operation had happened at a time (linearizability):
//
//	call := foreseeInvoke("queue", "enqueue", foreseeInt(7))
//	q.Enqueue(7)
//	foreseeReturn(call, foreseeNothing())
//
// The object's name is best that of what it should behave like: "queue", "register", "map" ... (see
// foresee lin --object). Run the package's own tests by `foresee go test`. Without foresee a mark costs the
// look at a variable. Written by `foresee new go-mark`; it is yours.
package NAME

import (
	"strconv"
	_ "unsafe" // for go:linkname
)

// foreseeMark is set by foresee's runtime, if that is there.
//
//go:linkname foreseeMark runtime.foreMark
var foreseeMark func(what int, call uint64, object, text, args string, kind, bits uint64) uint64

// foreseeValue is an argument or a result.
type foreseeValue struct {
	kind, bits uint64
	text       string
}

func foreseeInt(v int) foreseeValue     { return foreseeValue{1, uint64(v), ""} }
func foreseeText(s string) foreseeValue { return foreseeValue{5, 0, s} }
func foreseeNil() foreseeValue          { return foreseeValue{4, 0, ""} }
func foreseeNothing() foreseeValue      { return foreseeValue{} }

func foreseeBool(v bool) foreseeValue {
	if v {
		return foreseeValue{3, 1, ""}
	}
	return foreseeValue{3, 0, ""}
}

// foreseeInvoke marks the beginning of an operation.
func foreseeInvoke(object, operation string, args ...foreseeValue) uint64 {
	if foreseeMark == nil {
		return 0
	}
	return foreseeInvoked(object, operation, args)
}

// foreseeReturn marks its end.
func foreseeReturn(call uint64, result foreseeValue) {
	if foreseeMark != nil {
		foreseeMark(2, call, "", result.text, "", result.kind, result.bits)
	}
}

// foreseeFail marks the end of one that did nothing.
func foreseeFail(call uint64) {
	if foreseeMark != nil {
		foreseeMark(3, call, "", "", "", 0, 0)
	}
}

//go:noinline
func foreseeInvoked(object, operation string, args []foreseeValue) uint64 {
	text := ""
	for i, v := range args {
		if i > 0 {
			text += ", "
		}
		switch v.kind {
		case 1:
			text += strconv.FormatInt(int64(v.bits), 10)
		case 3:
			text += strconv.FormatBool(v.bits != 0)
		case 5:
			text += strconv.Quote(v.text)
		default:
			text += "nil"
		}
	}
	return foreseeMark(1, 0, object, operation, text, 0, 0)
}
