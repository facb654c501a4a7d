// A proxy for HTTP, which alone leads to hosts whose names nothing else knows; and a certificate for these.

import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";

/// Leads each host that it is asked for to one port of this machine, and notes the host.
export class Proxy {
  async start(port) {
    this.asked = [];
    this.open = new Set();
    // What is not to be tunnelled is asked for by its whole address.
    this.listener = http.createServer((request, response) => {
      this.asked.push(request.url);
      response.writeHead(501).end();
    });
    this.listener.on("connect", (request, socket, head) => {
      this.asked.push(request.url);
      const there = net.connect(port, "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        there.write(head);
        there.pipe(socket);
        socket.pipe(there);
      });
      for (const one of [socket, there]) {
        this.open.add(one);
        one.on("error", () => {});
        one.on("close", () => {
          this.open.delete(one);
          socket.destroy();
          there.destroy();
        });
      }
    });
    await new Promise((resolve) => this.listener.listen(0, "127.0.0.1", resolve));
    this.address = `http://127.0.0.1:${this.listener.address().port}`;
    return this;
  }

  stop() {
    for (const one of this.open) one.destroy();
    this.listener.closeAllConnections();
    this.listener.close();
  }
}

/// A key and a certificate for these hosts, and the file of the authority that a program trusts it by.
export function certificateOf(hosts, folder) {
  const file = (name) => path.join(folder, name);
  const make = (name, ...how) => {
    const of = ["-subj", `/CN=${name}`, "-keyout", file(`${name}.key`), "-out", file(`${name}.pem`)];
    const args = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...of, ...how];
    execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  };
  make("authority");
  const names = hosts.map((host) => `DNS:${host}`).join(",");
  const by = ["-CA", file("authority.pem"), "-CAkey", file("authority.key")];
  make("server", ...by, "-addext", `subjectAltName=${names}`, "-addext", "basicConstraints=critical,CA:FALSE");
  return { key: fs.readFileSync(file("server.key")), cert: fs.readFileSync(file("server.pem")), file: file("authority.pem") };
}
