import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { nextTurn } from "../base/async/next-turn.js";
import type { OnRequest } from "./in-turn.js";
import { createHttpServer, listenOn } from "./listener.js";

const FLOOD = 20_000;

/** A server with this handler, and a way to open connections to it. */
async function serve(t: TestContext, onRequest: OnRequest) {
  const server = createHttpServer(onRequest);
  const port = await listenOn(server, "127.0.0.1", 0);
  t.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return () => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => undefined); // the server may cut it off
    t.after(() => socket.destroy());
    return socket;
  };
}

const head = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${more}\r\n`;

/** The bodies that have arrived until `enough` says so, or the end. */
async function read(socket: Socket, enough: (text: string) => boolean): Promise<string> {
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (enough(text)) break;
  }
  return text;
}

test("requests that are sent together are answered in order, one after the other, each with its body", async (t) => {
  let open = 0;
  let most = 0;
  const work = async (request: IncomingMessage, response: ServerResponse) => {
    open += 1;
    most = Math.max(most, open);
    let body = "";
    for await (const chunk of request) body += String(chunk);
    await nextTurn();
    open -= 1;
    response.end(`<${request.url}:${body}>`);
  };
  const dial = await serve(t, (request, response) => {
    work(request, response).catch(assert.fail);
  });
  const socket = dial();
  const posts = Array.from(
    { length: 20 },
    (_, n) => head(`/${n}`, "content-length: 4\r\n").replace("GET", "POST") + `b${n}`.padEnd(4, "."),
  );
  const text = posts.join("");
  socket.write(text.slice(0, -2)); // the last body arrives in two parts
  socket.write(text.slice(-2));
  const came = await read(socket, (all) => all.includes("</19:b19.>"));
  assert.deepEqual(
    came.match(/<[^>]*>/g),
    Array.from({ length: 20 }, (_, n) => `</${n}:${`b${n}`.padEnd(4, ".")}>`),
  );
  assert.equal(most, 1);
});

test("a connection with thousands of requests takes turns with another one, and is read no faster than it is answered", async (t) => {
  let flooded = 0;
  let floodedBefore = 0;
  let seen: Socket | undefined;
  const dial = await serve(t, (request, response) => {
    if (request.url === "/other") floodedBefore = flooded;
    else {
      flooded += 1;
      seen = request.socket;
    }
    response.end("x");
  });
  const flooder = dial();
  const other = dial();
  await once(other, "connect");
  flooder.write(head("/flood").repeat(FLOOD));
  flooder.resume();
  await once(flooder, "data");
  other.write(head("/other"));
  await once(other, "data");
  assert.ok(floodedBefore < FLOOD / 10, `${floodedBefore} of ${FLOOD} requests were answered first`);
  const read = (seen?.bytesRead ?? 0) / head("/flood").length;
  assert.ok(read < FLOOD / 2, `${read} of ${FLOOD} requests were read when ${flooded} had been answered`);
});

test("all requests of a flood are answered when its client waits for them", async (t) => {
  const dial = await serve(t, (_request, response) => void response.end("<x>"));
  const flooder = dial();
  flooder.write(head("/flood").repeat(FLOOD));
  let answered = 0;
  for await (const chunk of flooder) {
    answered += String(chunk).split("<x").length - 1;
    if (answered === FLOOD) break;
  }
  assert.equal(answered, FLOOD);
});

test("requests behind one whose connection is closed never begin", async (t) => {
  const begun: string[] = [];
  const responses: ServerResponse[] = [];
  let closed: Promise<unknown> | undefined;
  const dial = await serve(t, (request, response) => {
    begun.push(request.url ?? "");
    responses.push(response);
    closed = once(response, "close");
  });
  const gone = dial();
  gone.write(head("/first") + head("/second").repeat(10));
  while (closed === undefined) await nextTurn();
  gone.destroy();
  await closed;
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  assert.deepEqual(begun, ["/first"]);
});

test("requests behind an answer that closes the connection never begin", async (t) => {
  const begun: string[] = [];
  const dial = await serve(t, (request, response) => {
    begun.push(request.url ?? "");
    response.writeHead(401, { connection: "close" }).end();
  });
  const refused = dial();
  refused.write(head("/first") + head("/second").repeat(10));
  refused.resume();
  await once(refused, "close");
  assert.deepEqual(begun, ["/first"]);
});
