import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { type ChatGatewayOptions, chatGateway } from "../../../fixtures/sim/chat-gateway.js";
import { toolLine } from "./tool-lines.js";

const texts = (seen: readonly { readonly text: string }[]) => seen.map(({ text }) => text);
const CALL = { text: "Let me look.", tool_calls: [{ name: "todo", arguments: {} }] };

test("what the model says before its calls is shown when it says it, and the answer follows", async (t) => {
  const world = await chatGateway(t, { script: [CALL, { text: "DONE" }] });
  await world.say("1", "go");
  assert.deepEqual(texts(await world.shown(2)), ["Let me look.", "DONE"]);
});

test("where interim messages are off only the answer is shown", async (t) => {
  const config = "display:\n  platforms:\n    msgt:\n      interim_messages: false\n";
  const world = await chatGateway(t, { script: [CALL, { text: "DONE" }, { text: "AGAIN" }], config });
  await world.say("1", "go");
  await world.shown(1);
  await world.say("2", "go");
  assert.deepEqual(texts(await world.shown(2)), ["DONE", "AGAIN"]);
});

/** Rounds of calls, then an answer. */
const CALLS = [
  { tool_calls: [{ name: "todo", arguments: {} }] },
  { tool_calls: [{ name: "todo", arguments: { merge: true } }] },
  {
    tool_calls: [
      { name: "search_files", arguments: { pattern: "a very long pattern that nobody would ever look for" } },
    ],
  },
  { text: "DONE" },
];

const TIERS = [
  ["msgd", undefined, 3],
  ["msgf", undefined, 2],
  ["msgt", undefined, 0],
  ["msgt", "all", 3],
] as const;

for (const [tag, tier, lines] of TIERS)
  test(`${tag}${tier === undefined ? "" : ` with ${tier}`} shows three calls as ${lines} lines of one message`, async (t) => {
    const shown: string[] = [];
    const platform: ChatGatewayOptions["platform"] = {
      edit: async (_, __, text) => {
        shown.push(text);
        return { result: "sent", messageId: null };
      },
    };
    const config = tier === undefined ? "" : `display:\n  platforms:\n    ${tag}:\n      tool_progress: ${tier}\n`;
    const world = await chatGateway(t, { script: CALLS, tag, config, platform });
    world.platform.fate = ({ id, payload }) => {
      if (id.startsWith("bubble_")) shown.push(payload.text);
      return "taken";
    };
    await world.say("1", "go");
    while ((await world.state("1")) !== "answered") await new Promise(setImmediate);
    const all = shown.flatMap((text) => text.split("\n"));
    assert.equal(all.length > 0, lines > 0);
    for (const line of all) assert.match(line, /^📋 todo|^🔎 search_files: .{1,40}$/u);
  });

test("a line of a call has a sign, its name and a preview of at most so many characters", () => {
  assert.equal(toolLine("terminal", "npm   run\nbuild", 40), "💻 terminal: npm run build");
  assert.equal(toolLine("read_file", "x".repeat(60), 10), `📄 read_file: ${"x".repeat(9)}…`);
  assert.equal(toolLine("anything", "x", 0), "🔧 anything");
});

test("GW-31: with the footer an answer ends with an empty line and the model, its share and the directory", async (t) => {
  proves(t, "config.display.runtime-footer");
  const world = await chatGateway(t, {
    script: [{ text: "PONG" }],
    config: "display:\n  runtime_footer:\n    enabled: true\n",
  });
  await world.say("1", "ping");
  assert.match(texts(await world.shown(1))[0] ?? "", /^PONG\n\nfake-1 · \d+% · ~?\S*$/);
});

test("GW-31: a command has no footer, nor has a failure", async (t) => {
  const config = "display:\n  runtime_footer:\n    enabled: true\n";
  const world = await chatGateway(t, {
    script: [{ status: 400, body: { error: { message: "no such model" } } }],
    config,
  });
  await world.say("1", "/whoami");
  await world.say("2", "ping");
  for (const text of texts(await world.shown(2))) assert.doesNotMatch(text, / · \d+%/);
});

test("GW-31: /footer switches the line on for the next answer and shows an example", async (t) => {
  const world = await chatGateway(t, { script: [{ text: "PONG" }], env: { MSGT_ALLOWED_USERS: "u-c1" } });
  await world.say("1", "/footer on");
  assert.match(texts(await world.shown(1))[0] ?? "", /a-model · 12% · ~\/project/);
  await world.say("2", "ping");
  assert.match(texts(await world.shown(2))[1] ?? "", /^PONG\n\nfake-1 · \d+% · /);
});
