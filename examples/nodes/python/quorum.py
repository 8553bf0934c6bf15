"""A key-value store on majorities: a write is stored by most, a read takes the newest of most.
With --no-write-back a read does not store what it has found: then a later read may find less."""
import sys
from node import Node

WRITE_BACK = "--no-write-back" not in sys.argv
node = Node()
stored = {}   # key -> (version, value), the newest that this node knows
asked = {}    # number -> what it collects answers for


def newer(key, version, value):
    if tuple(version) > tuple(stored.get(key, ((0, ""), None))[0]):
        stored[key] = (tuple(version), value)


def ask_all(body, then):
    node.next += 1
    number = node.next
    asked[number] = {"answers": [], "then": then}
    answer(number, local(body))
    for n in node.others():
        node.send(n, dict(body, msg_id=number))


def local(body):
    if body["type"] == "store":
        newer(body["key"], body["version"], body["value"])
    return stored.get(body["key"], ((0, ""), None))


def answer(number, what):
    if number not in asked:
        return
    q = asked[number]
    q["answers"].append((tuple(what[0]), what[1]))
    if len(q["answers"]) > len(node.ids) // 2:
        del asked[number]
        q["then"](max(q["answers"], key=lambda a: a[0]))


def on_internal(m):
    version, value = local(m["body"])
    node.send(m["src"], {"type": "answer", "to": m["body"]["msg_id"], "version": version, "value": value})


def on_write(m):
    key, value = m["body"]["key"], m["body"]["value"]

    def found(newest):
        version = (newest[0][0] + 1, node.id)
        ask_all({"type": "store", "key": key, "version": version, "value": value},
                lambda _: node.reply(m, {"type": "write_ok"}))
    ask_all({"type": "fetch", "key": key}, found)


def on_read(m):
    key = m["body"]["key"]

    def tell(newest):
        if newest[1] is None:
            node.reply(m, {"type": "error", "code": 20, "text": "no such key"})
        else:
            node.reply(m, {"type": "read_ok", "value": newest[1]})

    def found(newest):
        if WRITE_BACK and newest[1] is not None:
            ask_all({"type": "store", "key": key, "version": newest[0], "value": newest[1]}, lambda _: tell(newest))
        else:
            tell(newest)
    ask_all({"type": "fetch", "key": key}, found)


node.on = {"read": on_read, "write": on_write, "fetch": on_internal, "store": on_internal,
           "answer": lambda m: answer(m["body"]["to"], (m["body"]["version"], m["body"]["value"]))}
node.run()
