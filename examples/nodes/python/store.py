"""One node that keeps a value in a file; with --forgetful, in memory only."""
import json
import os
import sys
from node import Node

node = Node()
value = None
if os.path.exists("value.json"):
    value = json.load(open("value.json"))


def on_write(m):
    global value
    value = m["body"]["value"]
    if "--forgetful" not in sys.argv:
        with open("value.new", "w") as f:
            json.dump(value, f)
        os.replace("value.new", "value.json")
    node.reply(m, {"type": "write_ok"})


node.on = {"write": on_write,
           "read": lambda m: node.reply(m, {"type": "error", "code": 20} if value is None else {"type": "read_ok", "value": value})}
node.run()
