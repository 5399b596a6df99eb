import assert from "node:assert/strict";
import { test } from "node:test";
import { type ChatGateway, type ChatGatewayOptions, chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import type { Outgoing, Receipt } from "../../contracts/gateway/outbox.js";

interface Streaming extends ChatGateway {
  /** What each message shows in the end, in the order of their beginnings. */
  visible(): readonly string[];
  readonly drafts: readonly string[];
  readonly removed: readonly string[];
  /** Resolves when a message has this text. */
  reads(text: RegExp): Promise<void>;
}

/** A chat of which every message can be seen as people see it, edits and all. */
async function streaming(
  t: Parameters<typeof chatGateway>[0],
  options: Omit<ChatGatewayOptions, "platform"> & { drafts?: true },
): Promise<Streaming> {
  const shown = new Map<string, string>();
  const drafts: string[] = [];
  const removed: string[] = [];
  let look: () => void = () => undefined;
  const sent: Receipt = { result: "sent", messageId: null };
  const set = (id: string, text: string) => {
    shown.set(id, text);
    look();
    return sent;
  };
  const platform: ChatGatewayOptions["platform"] = {
    edit: async (_, id, text) => set(id, text),
    ...(options.drafts === true && {
      draft: async (_chat: unknown, _id: number, text: string) => {
        drafts.push(text);
        return sent;
      },
    }),
  };
  const { tag = "msgd" } = options;
  const config = `streaming:\n  enabled: true\ndisplay:\n  platforms:\n    ${tag}:\n      tool_progress: off\n${options.config ?? ""}`;
  const world = await chatGateway(t, { ...options, tag, config, platform });
  const inner = world.platform.fate;
  world.platform.fate = (row: Outgoing) => {
    const fate = inner(row);
    if (fate !== "taken") return fate;
    if (row.via === "remove") removed.push(row.payload.messageId ?? "");
    else set(row.payload.messageId ?? `m-${row.id}`, row.payload.text);
    return fate;
  };
  return {
    ...world,
    drafts,
    removed,
    visible: () => [...shown.values()],
    reads: (text) =>
      new Promise((resolve) => {
        look = () => [...shown.values()].some((one) => text.test(one)) && resolve();
        look();
      }),
  };
}

const LONG = "One sentence after the other, until everything is said that there is to say. ".repeat(18);

test("an answer is shown while it is written, and in the end stands there once, without the cursor", async (t) => {
  const world = await streaming(t, { script: [{ text: `${LONG}END`, chunk: 60, rate: 24_000 }] });
  await world.say("1", "go");
  await world.reads(/▉$/);
  await world.reads(/END$/);
  while ((await world.state("1")) !== "answered") await new Promise(setImmediate);
  assert.deepEqual(world.visible(), [`${LONG}END`]);
});

test("what the model says before a call is a message of its own, and later text begins another one", async (t) => {
  const first = { text: `${LONG}So I look.`, tool_calls: [{ name: "todo", arguments: {} }], chunk: 60, rate: 24_000 };
  const world = await streaming(t, { script: [first, { text: "Here it is: END", chunk: 6, gap_ms: 2 }] });
  await world.say("1", "go");
  await world.reads(/END$/);
  assert.deepEqual(world.visible(), [`${LONG}So I look.`, "Here it is: END"]);
});

test("a text that is longer than a message goes on in the next, and no text is there twice", async (t) => {
  const text = `${"sentence number n. ".repeat(260)}END`;
  const world = await streaming(t, { script: [{ text, chunk: 200, rate: 60_000 }] });
  await world.say("1", "go");
  await world.reads(/END(?: \(\d\/\d\))?$/);
  const bare = world
    .visible()
    .map((one) => one.replace(/\s\(\d+\/\d+\)$/, ""))
    .join("")
    .replace(/\s/g, "");
  assert.equal(bare, text.replace(/\s/g, ""));
  for (const one of world.visible()) assert.ok(one.length <= 2000);
});

test("in a direct chat that has drafts the answer is drafted, and sent once as a whole", async (t) => {
  const world = await streaming(t, {
    script: [{ text: `${LONG}END`, chunk: 60, rate: 24_000 }],
    tag: "msgt",
    drafts: true,
  });
  await world.say("1", "go");
  assert.deepEqual(
    (await world.shown(1)).map(({ text }) => text),
    [`${LONG}END`],
  );
  assert.ok(world.drafts.length > 0);
  for (const draft of world.drafts) assert.ok(`${LONG}END`.startsWith(draft));
});

test("a turn that is stopped while it writes leaves its message without the cursor, and nothing more is shown", async (t) => {
  const world = await streaming(t, {
    script: [{ text: "Hello there, ", endless: true, chunk: 30, gap_ms: 20 }, { text: "PONG" }],
  });
  await world.say("1", "go");
  await world.reads(/▉$/);
  await world.say("2", "/stop");
  await world.reads(/^⚡/);
  while (world.visible().some((one) => one.endsWith("▉"))) await new Promise(setImmediate);
  const after = world.visible();
  await world.say("3", "hi");
  await world.reads(/^PONG$/);
  assert.deepEqual(world.visible().slice(0, after.length), after);
});
