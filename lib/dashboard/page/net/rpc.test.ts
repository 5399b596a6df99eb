import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError } from "./api.js";
import { createLiveFollows } from "./follows.js";
import { createPending } from "./pending.js";

interface Sent {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** Both halves of a connection: what was written, and what the owner says. */
function setup() {
  const sent: Sent[] = [];
  const pending = createPending();
  const problems: unknown[] = [];
  const follows = createLiveFollows(pending, (error) => problems.push(error));
  const open = (): void => {
    pending.opened((text) => sent.push(JSON.parse(text)));
    follows.opened();
  };
  const lose = (): void => {
    pending.lost();
    follows.lost();
  };
  return {
    sent,
    pending,
    follows,
    problems,
    open,
    lose,
    settled: () => new Promise<void>((resolve) => setImmediate(resolve)),
  };
}

test("what is asked before there is a connection is asked when there is one, and answered", async () => {
  const { pending, sent, open } = setup();
  const answer = pending.call<string>("session.get", { session_id: "s" });
  assert.equal(sent.length, 0);
  open();
  assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, method: "session.get", params: { session_id: "s" } }]);
  pending.answer({ id: 1, result: "here" });
  assert.equal(await answer, "here");
  assert.equal(pending.count, 0);
});

test("a refusal has the owner's words and its code", async () => {
  const { pending, open } = setup();
  open();
  const answer = pending.call("turn.submit");
  pending.answer({ id: 1, error: { code: -32_000, message: "there is no session s", data: { code: "E_NOT_FOUND" } } });
  await assert.rejects(
    answer,
    (error) => error instanceof ApiError && error.code === "E_NOT_FOUND" && /no session/.test(error.message),
  );
});

test("calls whose connection is lost fail, and are not sent a second time", async () => {
  const { pending, sent, open, lose } = setup();
  open();
  const answer = pending.call("turn.submit");
  lose();
  await assert.rejects(answer, /lost/);
  open();
  assert.equal(sent.length, 1);
});

test("a change that is sent again is named by the same key", () => {
  const { pending, sent, open } = setup();
  open();
  for (let tries = 0; tries < 2; tries++) pending.call("turn.submit", { text: "once" }, "k1").catch(() => undefined);
  assert.deepEqual(
    sent.map((one) => ({ ...one, id: 0 })),
    Array.from({ length: 2 }, () => ({
      jsonrpc: "2.0",
      id: 0,
      method: "turn.submit",
      params: { text: "once" },
      key: "k1",
    })),
  );
});

test("what is followed is followed again after a lost connection, and read again each time", async () => {
  const { pending, follows, sent, open, lose, problems, settled } = setup();
  let begun = 0;
  const heard: string[] = [];
  const leave = follows.add({
    topics: ["session:s"],
    begin: () => (begun += 1),
    heard: ({ event }) => heard.push(event),
  });
  open();
  pending.answer({ id: 1, result: { sub: 7 } });
  await settled();
  follows.event({ params: { sub: 7, event: "text.delta" } });
  follows.event({ params: { sub: 8, event: "of somebody else" } });
  lose();
  open();
  pending.answer({ id: 2, result: { sub: 3 } });
  await settled();
  follows.event({ params: { sub: 7, event: "of the connection before" } });
  follows.event({ params: { sub: 3, event: "turn.ended" } });
  assert.deepEqual([begun, heard, problems], [2, ["text.delta", "turn.ended"], []]);
  leave();
  assert.deepEqual(
    sent.map(({ method, params }) => [method, params["sub"]]),
    [
      ["events.subscribe", undefined],
      ["events.subscribe", undefined],
      ["events.unsubscribe", 3],
    ],
  );
});

test("when events are missing everything is read again", async () => {
  const { pending, follows, open, settled } = setup();
  let begun = 0;
  follows.add({ topics: ["session:s"], begin: () => (begun += 1), heard: () => assert.fail("a reset is no event") });
  open();
  pending.answer({ id: 1, result: { sub: 1 } });
  await settled();
  follows.event({ params: { sub: 1, event: "events.reset" } });
  assert.equal(begun, 2);
});

test("what is given up while the owner answers is ended there", async () => {
  const { pending, follows, sent, open, settled } = setup();
  open();
  const leave = follows.add({ topics: ["t"], begin: () => assert.fail("nobody listens"), heard: () => undefined });
  leave();
  pending.answer({ id: 1, result: { sub: 5 } });
  await settled();
  assert.deepEqual([sent.at(-1)?.method, sent.at(-1)?.params["sub"]], ["events.unsubscribe", 5]);
});
