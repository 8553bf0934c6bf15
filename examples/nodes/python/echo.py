"""Answers what it is asked; --wrong forgets after the first."""
import sys
from node import Node

node = Node()
said = []


def on_echo(m):
    said.append(m["body"]["echo"])
    node.reply(m, {"type": "echo_ok", "echo": said[0 if "--wrong" in sys.argv else -1]})


node.on = {"echo": on_echo}
node.run()
