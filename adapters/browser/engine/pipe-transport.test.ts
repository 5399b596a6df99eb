import assert from "node:assert/strict";
import { test } from "node:test";
import { nextTurn } from "../../../lib/base/async/next-turn.js";
import { createPipeTransport } from "./pipe-transport.js";

function setup() {
  const sent: string[] = [];
  const ends: string[] = [];
  let give: (chunk: Buffer) => void = () => undefined;
  const channel = {
    send: (text: string) => sent.push(text) > 0,
    onData: (listener: (chunk: Buffer) => void) => {
      give = listener;
    },
  };
  const transport = createPipeTransport(channel, (reason) => ends.push(reason));
  return { transport, sent, ends, give: (text: string) => give(Buffer.from(text)) };
}

test("what an answer leads to is done before the event that came with it in one piece is seen", async () => {
  const { transport, give } = setup();
  const order: string[] = [];
  transport.onmessage = (message) => {
    const { id } = message as { readonly id: number };
    order.push(`got ${id}`);
    Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => order.push(`done ${id}`))
      .catch(assert.fail);
  };
  give('{"id":1}\0{"id":2}\0{"i');
  give('d":3}\0');
  for (const _turn of [1, 2, 3, 4]) await nextTurn();
  assert.deepEqual(order, ["got 1", "done 1", "got 2", "done 2", "got 3", "done 3"]);
});

test("a command that would show a file is answered here and never sent", async () => {
  const { transport, sent } = setup();
  const answers: object[] = [];
  transport.onmessage = (message) => answers.push(message);
  transport.send({ id: 4, method: "Page.navigate", params: { url: "file:///etc/passwd" }, sessionId: "s" });
  transport.send({ id: 5, method: "Page.navigate", params: { url: "http://a.test/" } });
  await nextTurn();
  await nextTurn();
  assert.deepEqual(sent, ['{"id":5,"method":"Page.navigate","params":{"url":"http://a.test/"}}\0']);
  const [answer] = answers as readonly { readonly id: number; readonly error: { readonly message: string } }[];
  assert.equal(answer?.id, 4);
  assert.match(answer.error.message, /^blocked: .* not file:/);
});

test("a driver that begins to listen after the browser has ended is told at once", async () => {
  const { transport } = setup();
  transport.end("it ended with exit code 3");
  const told = new Promise((resolve) => {
    transport.onclose = resolve;
  });
  assert.equal(await told, "it ended with exit code 3");
});
