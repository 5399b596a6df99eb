import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { CLIENT, startMsgw } from "../../../fixtures/servers/msgw/server.js";
import { Secret } from "../../../lib/base/secret.js";
import { createNet } from "../../../lib/safety/net/net.js";
import { createGraph } from "./graph.js";

const HOW = { maxBytes: 1 << 20, totalMs: 10_000, signal: new AbortController().signal };
const CONTENT = "users/u/onlineMeetings/m/recordings/r/content";

async function world(t: TestContext, { allowPrivate = true } = {}) {
  const server = await startMsgw();
  const elsewhere = await startMsgw();
  const clock = manualClock();
  const net = createNet({ clock, allowPrivate: () => allowPrivate });
  const client = {
    url: `${server.url}/${CLIENT.tenant}/oauth2/v2.0/token`,
    id: CLIENT.id,
    secret: new Secret(CLIENT.secret),
  };
  t.after(async () => {
    await net.close();
    await server.close();
    await elsewhere.close();
  });
  return {
    server,
    elsewhere,
    clock,
    graph: createGraph({ base: server.url, token: undefined, client }, { net, clock }),
  };
}

test("a recording that lies elsewhere is fetched there, without the token", async (t) => {
  const { server, elsewhere, graph } = await world(t);
  server.moved.set(CONTENT, `${elsewhere.url}/files/r?sig=secret-part`);
  elsewhere.graph.set("/files/r", "the bytes");
  const response = await graph.open(CONTENT, HOW);
  assert.equal(await response.text(1000), "the bytes");
  assert.deepEqual(
    elsewhere.of("file").map(({ by }) => by),
    [undefined],
  );
});

test("where the graph leads to a private address nothing is fetched, and the address is in no error", async (t) => {
  const { server, elsewhere, graph } = await world(t, { allowPrivate: false });
  server.moved.set(CONTENT, `${elsewhere.url}/files/r?sig=secret-part`);
  await assert.rejects(
    graph.open(CONTENT, HOW),
    (error: Error) => /could not be fetched: blocked/.test(error.message) && !error.message.includes("secret-part"),
  );
  assert.equal(elsewhere.calls.length, 0);
});

for (const [place, why] of [
  ["http://example.org/x", /not encrypted/],
  ["file:///etc/passwd", /not encrypted/],
] as const) {
  test(`the graph leads no one to ${place}`, async (t) => {
    const { server, graph } = await world(t);
    server.moved.set(CONTENT, place);
    await assert.rejects(graph.open(CONTENT, HOW), why);
  });
}

test("a graph that leads round in a circle is left", async (t) => {
  const { server, graph } = await world(t);
  server.moved.set(CONTENT, `${server.url}/v1.0/${CONTENT}`);
  await assert.rejects(graph.open(CONTENT, HOW), /more than 3 times/);
});

test("a token that is refused is renewed once, and a busy graph is asked again", async (t) => {
  const { server, clock, graph } = await world(t);
  server.graph.set(CONTENT, "words");
  server.next(
    "graph",
    { do: "answer", status: 401, body: "" },
    { do: "answer", status: 503, body: "", headers: { "retry-after": "3" } },
  );
  const opened = graph.open(CONTENT, HOW);
  await clock.waitsFor(3000);
  clock.advance(3000);
  assert.equal(await (await opened).text(1000), "words");
  assert.equal(server.of("token").length, 2);
});

test("what is larger than allowed is not read to its end", async (t) => {
  const { server, graph } = await world(t);
  server.graph.set(CONTENT, "x".repeat(5000));
  const response = await graph.open(CONTENT, { ...HOW, maxBytes: 1000 });
  await assert.rejects(async () => {
    for await (const _ of response.body);
  });
});
