"""Exchanges between a client and a server: of many requests, and of bodies in chunks."""

import os
import sys

# The version that is measured, where its package is.
checkout = os.environ["LITO_CHECKOUT"]
sys.path[:0] = [os.path.join(checkout, "src"), checkout]

import h11


def exchange(parts):
    client = h11.Connection(our_role=h11.CLIENT)
    server = h11.Connection(our_role=h11.SERVER)
    headers = [("Host", "example.org"), ("User-Agent", "bench"), ("Accept", "*/*"), ("X-Long", "v" * 60)]
    if parts:
        headers.append(("Transfer-Encoding", "chunked"))
    sent = client.send(h11.Request(method="POST" if parts else "GET", target="/path?query=1", headers=headers))
    for part in parts:
        sent += client.send(h11.Data(data=part))
    sent += client.send(h11.EndOfMessage())
    server.receive_data(sent)
    while type(server.next_event()) is not h11.EndOfMessage:
        pass
    answer = h11.Response(status_code=200, headers=[("Content-Length", "4"), ("Content-Type", "text/plain")])
    client.receive_data(
        server.send(answer) + server.send(h11.Data(data=b"done")) + server.send(h11.EndOfMessage())
    )
    while type(client.next_event()) is not h11.EndOfMessage:
        pass


for _ in range(int(sys.argv[2])):
    if sys.argv[1] == "requests":
        for _ in range(60):
            exchange([])
    else:
        for _ in range(10):
            exchange([b"x" * 50] * 40)
