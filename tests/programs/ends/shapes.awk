# A large trace of one shape, to be looked at for a long time:  awk -v shape=S -v events=N -f shapes.awk
function thread() { return 2 + int(rand() * 4) }
BEGIN {
    srand(1)
    if (shape == "channels") print "chan x\nchan y cap=4"
    for (t = 2; t <= 5; t++) printf "1: signal(%d)\n%d: wait(%d)\n", t, t, t
    if (shape == "cycle") print "2: lock(p)@a.c:1; lock(q)@a.c:2; unlock(q); unlock(p)"
    for (n = 8; n < events; ) {
        t = thread(); u = thread(); l = int(rand() * 50)
        if (shape == "cycle") {
            printf "%d: pre(lock(l%d)); lock(l%d)@a.c:%d; write(v%d)=%d; unlock(l%d)\n", t, l, l, l, l, int(rand() * 5), l
            n += 4
        } else if (shape == "races") {
            printf "%d: lock(l%d); write(v%d)=1@a.c:%d; unlock(l%d); write(z%d)=1@a.c:%d\n", t, l, l, l, l, int(rand() * 300), 1000 + int(rand() * 300)
            n += 4
        } else if (shape == "groups") {
            printf "%d: wgadd(g, 1)@a.go:1\n%d: wgdone(g)@a.go:2\n1: wgwait(g)@a.go:3\n", t, t
            n += 3
        } else if (t != u && rand() < .5) {
            printf "%d: pre(x!)@a.go:%d\n%d: pre(x?)@a.go:%d\n%d: post(x!)\n%d: post(%d#x?)\n", t, t, u, 10 + u, t, u, t
            n += 4
        } else if (t != u) {
            k++
            printf "%d: pre(y!)@a.go:%d; post(y!#%d)\n%d: pre(y?)@a.go:%d; post(%d#y?)\n", t, 20 + t, k, u, 30 + u, k
            n += 4
        }
    }
    if (shape == "cycle") print "3: lock(q)@a.c:3; lock(p)@a.c:4; unlock(p); unlock(q)"
}
