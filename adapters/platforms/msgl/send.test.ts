import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { problem } from "../../../fixtures/servers/msgl/channel.js";
import { PERSON } from "../../../fixtures/servers/msgl/server.js";
import type { Fate } from "../../../fixtures/servers/shared/fate.js";
import { quiet } from "../../../fixtures/sim/gateway-world.js";
import { type MsglWorldOptions, msglWorld } from "../../../fixtures/worlds/msgl-world.js";
import type { NewSend } from "../../../lib/contracts/gateway/outbox.js";
import { toMessageParts } from "../../../lib/gateway/text/message-parts.js";

const refused = (status: number, message: string): Fate => ({ do: "answer", ...problem(status, message) });

async function connected(t: TestContext, options: MsglWorldOptions = {}) {
  const world = await msglWorld(t, options);
  const url = await world.listens();
  const { server, gateway, platform } = world;
  /** Answer in a chat as the gateway does, cut into calls. */
  const answer = (text: string, more: Partial<NewSend> = {}, chat = PERSON) => {
    const target = {
      platform: "msgl",
      account: platform.account,
      chatId: chat,
      threadId: null,
      replyTo: null,
    } as const;
    const parts = toMessageParts("msgl", text, { format: "markdown", asked: true });
    return gateway.outbox.insert(parts.map((part) => ({ kind: "answer", target, ...part, ...more })));
  };
  const asked = async (token = "r1") => {
    await server.deliver(server.text("hi", { token }));
  };
  const words = () => server.shown.map(({ message }) => message["text"]);
  const calls = () =>
    server.calls
      .filter(({ what }) => what === "reply" || what === "push")
      .map(({ what, status }) => `${what} ${status}`);
  return { ...world, url, answer, asked, words, calls };
}

test("GW-70 an answer uses up the reply token of its chat, and keeps the ids of what is shown", async (t) => {
  const { answer, asked, settled, server } = await connected(t);
  await asked();
  await answer("PONG");
  const [row] = await settled();
  assert.deepEqual([row?.state, row?.via, row?.platform_message_id], ["sent", "reply", "1"]);
  assert.deepEqual(
    server.of("reply").map(({ body }) => body),
    [{ replyToken: "r1", messages: [{ type: "text", text: "PONG" }] }],
  );
});

test("a reply that was refused and a push that was cut off are not taken for sent after a restart", async (t) => {
  const first = await connected(t);
  const { server, clock, disk } = first;
  await first.asked("r1");
  server.next("reply", refused(400, "Invalid reply token"));
  server.next("push", { do: "drop", after: false });
  await first.answer("PONG");
  assert.equal((await first.settled())[0]?.state, "pending");
  await first.stop();
  server.channel.tokens.delete("r1"); // it is of no use any more, no matter who asks
  const second = await connected(t, { server, disk, clock });
  clock.advance(5000);
  const [row] = await second.settled();
  assert.deepEqual([row?.state, second.words()], ["sent", ["PONG"]]);
  assert.deepEqual(second.calls(), ["reply 400", "push 0", "push 200"]);
});

test("the newest token of a chat is used, each once; without one it is pushed with a key", async (t) => {
  proves(t, "msgl.limit.reply-token");
  const { answer, asked, settled, server, calls } = await connected(t);
  await asked("r1");
  await asked("r2");
  for (const text of ["one", "two", "three"]) await answer(text);
  await settled(3);
  assert.deepEqual(calls(), ["reply 200", "reply 200", "push 200"]);
  assert.deepEqual(
    server.of("reply").map(({ body }) => (body as { readonly replyToken: string }).replyToken), // what it was sent
    ["r2", "r1"],
  );
  assert.match(server.of("push")[0]?.retryKey ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  assert.equal(server.of("reply")[0]?.retryKey, undefined);
});

test("a token is not used in another chat, nor when its 50 seconds are over", async (t) => {
  const { answer, asked, settled, clock, calls } = await connected(t);
  await asked();
  await answer("elsewhere", {}, "Ub2");
  await settled();
  clock.advance(50_000);
  await answer("late");
  await settled();
  assert.deepEqual(calls(), ["push 200", "push 200"]);
});

test("GW-73 a reply that is refused is pushed once, the same messages with a key", async (t) => {
  const { answer, asked, settled, server, calls } = await connected(t);
  await asked();
  server.next("reply", refused(400, "Invalid reply token"));
  await answer("PONG");
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(calls(), ["reply 400", "push 200"]);
  const reply = server.of("reply")[0];
  const push = server.of("push")[0];
  const messages = [{ type: "text", text: "PONG" }];
  assert.deepEqual(
    [reply?.body, push?.body],
    [
      { replyToken: "r1", messages },
      { to: PERSON, messages },
    ],
  );
  assert.match(push?.retryKey ?? "", /^[0-9a-f-]{36}$/);
});

test("GW-74 a long answer is up to five messages in one reply, with nothing missing", async (t) => {
  proves(t, "msgl.limit.text");
  const { answer, asked, settled, server, words } = await connected(t);
  await asked();
  const text = Array.from({ length: 2000 }, (_none, at) => `w${at}`)
    .join(" ")
    .slice(0, 12_000);
  await answer(text);
  await settled();
  assert.equal(server.of("reply").length, 1);
  assert.deepEqual(
    words().map((one) => String(one).length <= 4500),
    [true, true, true],
  );
  assert.equal(words().join(" "), text.trim());
});

test("what is more than five messages follows by push, five in a call, in order", async (t) => {
  proves(t, "msgl.limit.messages");
  const { answer, asked, settled, words, calls } = await connected(t);
  await asked();
  await answer("x".repeat(4500 * 11 + 7));
  await settled(3);
  assert.deepEqual(calls(), ["reply 200", "push 200", "push 200"]);
  assert.deepEqual(
    words().map((one) => String(one).length),
    [...Array.from({ length: 11 }, () => 4500), 7],
  );
});

test("an answer that waited past its token is pushed without trying it", async (t) => {
  const { answer, asked, settled, server, clock, calls, gateway, reaches } = await connected(t);
  await asked();
  await gateway.supervisor.pause("msgl");
  await reaches("paused");
  await answer("PONG");
  clock.advance(60_000);
  await gateway.supervisor.resume("msgl");
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual(calls(), ["push 200"]);
  assert.equal(server.shown.length, 1);
});

interface Fault {
  readonly what: string;
  readonly asked: boolean;
  readonly fates: readonly Fate[];
  readonly calls: readonly string[];
  readonly state: string;
  readonly shown: number;
  readonly wait?: number;
}

const cut = (after: boolean): Fate => ({ do: "drop", after });
const broken = (after: boolean): Fate => ({ do: "answer", status: 502, body: "<html>", after });
const FAULTS: readonly Fault[] = [
  {
    what: "a reply that arrived and whose answer was lost",
    asked: true,
    fates: [cut(true)],
    calls: ["reply 0", "reply 400"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a reply that was lost on its way",
    asked: true,
    fates: [cut(false)],
    calls: ["reply 0", "reply 200"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a push that arrived and whose answer was lost",
    asked: false,
    fates: [cut(true)],
    calls: ["push 0", "push 409"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a push that was lost on its way",
    asked: false,
    fates: [cut(false)],
    calls: ["push 0", "push 200"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a push that was done behind a broken answer",
    asked: false,
    fates: [broken(true)],
    calls: ["push 502", "push 409"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a reply that was done behind a broken answer",
    asked: true,
    fates: [broken(true)],
    calls: ["reply 502", "reply 400"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a push that fails in the platform's own words",
    asked: false,
    fates: [refused(500, "Internal")],
    calls: ["push 500", "push 200"],
    state: "sent",
    shown: 1,
  },
  {
    what: "a push that is refused for good",
    asked: false,
    fates: [refused(400, "bad")],
    calls: ["push 400"],
    state: "failed",
    shown: 0,
  },
  {
    what: "a rate limit with its time",
    asked: false,
    fates: [{ do: "answer", status: 429, body: { message: "slow" }, headers: { "retry-after": "7" } }],
    calls: ["push 429", "push 200"],
    state: "sent",
    shown: 1,
    wait: 7000,
  },
];

for (const { what, asked: withToken, fates, calls: expected, state, shown, wait = 1300 } of FAULTS) {
  test(`${what} is shown ${shown === 1 ? "once" : "nowhere"}, and the row is ${state}`, async (t) => {
    const { answer, asked, settled, server, clock, calls } = await connected(t);
    if (withToken) await asked();
    server.next(withToken ? "reply" : "push", ...fates);
    await answer("once", { kind: "cron" });
    let rows = await settled();
    while (rows[0]?.state === "pending") {
      clock.advance(wait);
      rows = await settled();
    }
    assert.deepEqual([rows[0]?.state, calls(), server.shown.length], [state, expected, shown]);
  });
}

test("a reply in doubt whose token has ended meanwhile is shown as unknown, not repeated", async (t) => {
  const { answer, asked, settled, server, clock, calls } = await connected(t, { rules: { retryBaseMs: () => 60_000 } });
  await asked();
  server.next("reply", cut(false));
  await answer("maybe");
  assert.equal((await settled())[0]?.state, "unknown");
  clock.advance(120_000);
  await quiet();
  assert.deepEqual(calls(), ["reply 0"]);
});

test("a reply that was refused and then pushed into doubt is pushed again with its key", async (t) => {
  const { answer, asked, settled, server, clock, calls } = await connected(t);
  await asked();
  server.next("reply", refused(400, "Invalid reply token"));
  server.next("push", cut(true));
  await answer("once");
  assert.equal((await settled())[0]?.state, "pending");
  clock.advance(1300);
  assert.equal((await settled())[0]?.state, "sent");
  assert.deepEqual([calls(), server.shown.length], [["reply 400", "push 0", "push 409"], 1]);
});

test("a kill between the call and its result leads to one message: the key is the same after the start", async (t) => {
  const { server, disk, answer, stop } = await connected(t);
  server.next("push", { do: "hang", after: true });
  await answer("once");
  await server.until(() => server.shown.length === 1);
  await stop();
  const next = await msglWorld(t, { server, disk });
  await next.listens();
  next.clock.advance(2000);
  const rows = await next.settled();
  assert.equal(rows[0]?.state, "sent");
  const [first, second] = server.of("push");
  assert.equal(first?.retryKey, second?.retryKey);
  assert.deepEqual([second?.status, server.shown.length], [409, 1]);
});

test("a refused token stops the adapter, and the message waits for a better one", async (t) => {
  const { answer, settled, server, reaches } = await connected(t);
  server.next("push", refused(401, "Authentication failed"));
  await answer("later");
  assert.equal((await settled())[0]?.state, "pending");
  const { error_code: code } = await reaches("fatal");
  assert.equal(code, "auth_failed");
  assert.equal(server.shown.length, 0);
});

const MARKDOWN = [
  ["**bold** and *italic* and _too_", "bold and italic and too"],
  ["## Title\ntext", "Title\ntext"],
  ["[name](https://x.example/a)", "name (https://x.example/a)"],
  ["- one\n  * two\n+ three", "• one\n  • two\n• three"],
  ["```ts\nconst a = **1**;\n```\nafter", "const a = **1**;\nafter"],
  ["`a*b*c` and snake_case_name, 2 * 3 * 4", "a*b*c and snake_case_name, 2 * 3 * 4"],
  ["~~gone~~", "gone"],
] as const;

for (const [markdown, plain] of MARKDOWN) {
  test(`Markdown is removed: ${JSON.stringify(markdown)}`, async (t) => {
    const { platform } = await msglWorld(t);
    assert.equal(platform.format(markdown), plain);
  });
}

test("the sign that someone writes is asked for in chats with one person, at most every 55 seconds", async (t) => {
  proves(t, "msgl.media-in");
  const { platform, clock, server } = await connected(t);
  const signal = new AbortController().signal;
  for (let at = 0; at < 30; at++) await platform.typing?.(PERSON, true, signal);
  await platform.typing?.("C1", true, signal);
  assert.deepEqual(
    server.of("loading").map(({ body }) => body),
    [{ chatId: PERSON, loadingSeconds: 60 }],
  );
  clock.advance(55_000);
  await platform.typing?.(PERSON, true, signal);
  assert.equal(server.of("loading").length, 2);
});
