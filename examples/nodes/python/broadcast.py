"""Tells everybody what it is told. With --lossy it tells only one; with --retry it tells again
after a second, until it hears that it was heard."""
import json
import select
import sys
from node import Node

LOSSY, RETRY = "--lossy" in sys.argv, "--retry" in sys.argv
node = Node()
known, unheard = [], set()


def tell(n, value):
    node.send(n, {"type": "gossip", "value": value})


def learn(value, source):
    if value in known:
        return
    known.append(value)
    for n in node.others()[:1] if LOSSY else node.others():
        if n != source:
            unheard.add((n, value))
            tell(n, value)


def on_broadcast(m):
    learn(m["body"]["message"], None)
    node.reply(m, {"type": "broadcast_ok"})


def on_gossip(m):
    learn(m["body"]["value"], m["src"])
    if RETRY:
        node.send(m["src"], {"type": "heard", "value": m["body"]["value"]})


node.on = {"broadcast": on_broadcast, "gossip": on_gossip,
           "heard": lambda m: unheard.discard((m["src"], m["body"]["value"])),
           "read": lambda m: node.reply(m, {"type": "read_ok", "messages": sorted(known)})}


def lines():
    while True:
        wait = 1.0 if RETRY and unheard else None
        if select.select([sys.stdin], [], [], wait)[0]:
            line = sys.stdin.readline()
            if not line:
                return
            yield line
        else:
            for n, value in sorted(unheard):
                tell(n, value)


sys.stdin.reconfigure(line_buffering=True)
node.lines = lines if RETRY else None
node.run()
