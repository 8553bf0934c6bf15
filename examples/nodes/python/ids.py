"""Numbers that nobody else gives; with --wrong, each node counts for itself."""
import sys
from node import Node

node = Node()
count = 0


def on_generate(m):
    global count
    count += 1
    node.reply(m, {"type": "generate_ok", "id": count if "--wrong" in sys.argv else node.id + "-" + str(count)})


node.on = {"generate": on_generate}
node.run()
