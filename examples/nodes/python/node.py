"""What a node is, in Python: messages from standard input, messages to standard output."""
import json
import sys


class Node:
    def __init__(self):
        self.id, self.ids, self.next = None, [], 0
        self.on, self.lines = {}, None

    def send(self, dest, body):
        print(json.dumps({"src": self.id, "dest": dest, "body": body}), flush=True)

    def reply(self, m, body):
        body["in_reply_to"] = m["body"]["msg_id"]
        self.send(m["src"], body)

    def others(self):
        return [n for n in self.ids if n != self.id]

    def run(self):
        for line in self.lines() if self.lines else sys.stdin:
            m = json.loads(line)
            kind = m["body"]["type"]
            if kind == "init":
                self.id, self.ids = m["body"]["node_id"], m["body"]["node_ids"]
                self.reply(m, {"type": "init_ok"})
            elif kind == "topology":
                self.reply(m, {"type": "topology_ok"})
            else:
                self.on[kind](m)
