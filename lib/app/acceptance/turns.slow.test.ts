import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply, ScriptedCall } from "../../../fixtures/servers/model/script.js";
import { type ModelServerOptions, startModelServer } from "../../../fixtures/servers/model/server.js";
import { chatWorld } from "../../../fixtures/sim/chat-world.js";
import { type Clock, systemClock } from "../../base/time/clock.js";

type Json = Readonly<Record<string, unknown>>;
type Message = Json & {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly { function: { arguments: string } }[];
};

const W = (path: string, content: string): ScriptedCall => ({
  name: "write_file",
  arguments: { path, content },
  id: `call_w_${path[0]}`,
});
const R = (path: string): ScriptedCall => ({ name: "read_file", arguments: { path }, id: `call_r_${path[0]}` });
const P = (path: string, old: string): ScriptedCall => ({
  name: "patch",
  arguments: { path, old_string: old, new_string: "new" },
  id: `call_p_${path[0]}`,
});

/** The bench: provider custom on loopback, a directory for the work, and the program's command line. */
async function bench(
  t: TestContext,
  replies: readonly Reply[],
  more: { server?: ModelServerOptions; window?: string } = {},
) {
  const server = await startModelServer({ script: { replies }, ...more.server });
  t.after(() => server.close());
  const waits: number[] = [];
  const clock: Clock = { ...systemClock, sleep: async (ms) => void waits.push(ms) };
  const window = more.window ?? "  context_length: 128000\n";
  const world = await chatWorld(t, {
    clock,
    config: `model:\n  provider: custom\n  base_url: ${server.url}\n  default: m\n${window}`,
  });
  const bodies = () =>
    server.chats().map(({ raw }) => JSON.parse(raw) as Json & { readonly messages: readonly Message[] });
  const results = () =>
    (bodies().at(-1)?.messages ?? []).filter(({ role }) => role === "tool").map(({ content }) => content);
  return {
    server,
    world,
    waits,
    bodies,
    results,
    agent: (...more: string[]) => world.run("-z", "do it", "--yolo", ...more),
  };
}

test("C01: work is done, and the answer names the file that a failed edit left as it was", async (t) => {
  const replies = [
    { tool_calls: [W("a.txt", "hello\n"), R("nope.txt")] },
    { tool_calls: [P("a.txt", "zzz")] },
    { text: "All done, edited a.txt." },
  ];
  const { world, agent, results } = await bench(t, replies);
  const { code, out } = await agent();
  assert.equal(code, 0);
  assert.equal(readFileSync(join(world.work, "a.txt"), "utf8"), "hello\n");
  const [answer, empty, ...footer] = out.split("\n");
  assert.deepEqual([answer, empty], ["All done, edited a.txt.", ""]);
  assert.match(footer.join("\n"), /a\.txt.*\[patch\]/);
  const written = JSON.parse(results()[0] ?? "") as {
    bytes_written: number;
    lint: { status: string };
    resolved_path: string;
    files_modified: string[];
  };
  assert.deepEqual([written.bytes_written, written.lint.status], [6, "skipped"]);
  assert.deepEqual(
    [written.resolved_path, written.files_modified],
    [join(world.work, "a.txt"), [join(world.work, "a.txt")]],
  );
});

test("C02: a text that was cut goes on where it stopped, and is one answer", async (t) => {
  const { agent, bodies } = await bench(t, [{ text: "Part one, ", finish: "length" }, { text: "part two." }]);
  assert.deepEqual(await agent(), { code: 0, out: "Part one, part two.\n", err: "" });
  const [, second] = bodies();
  const [partial, ask] = second?.messages.slice(-2) ?? [];
  assert.deepEqual([partial?.role, partial?.content], ["assistant", "Part one,"]);
  assert.match(ask?.content ?? "", /[Gg]o on exactly where it stopped/);
});

test("C03: a call that was cut is not run, and the same is asked again", async (t) => {
  const cut = { name: "write_file", arguments: '{"path": "a.txt", "content": "hel', id: "call_w" };
  const { world, agent, bodies } = await bench(t, [
    { tool_calls: [cut], finish: "length" },
    { tool_calls: [W("a.txt", "hello\n")] },
    { text: "ok" },
  ]);
  assert.deepEqual(await agent(), { code: 0, out: "ok\n", err: "" });
  const [first, second, third] = bodies();
  assert.deepEqual(second?.messages, first?.messages);
  assert.equal(third?.messages.filter(({ role }) => role === "tool").length, 1);
  assert.equal(readFileSync(join(world.work, "a.txt"), "utf8"), "hello\n");
});

test("C04: a name that is nearly that of a tool is that tool", async (t) => {
  const { world, agent, results } = await bench(t, [
    { tool_calls: [{ name: "ReadFile_tool", arguments: { path: "f.txt" } }] },
    { text: "ok" },
  ]);
  writeFileSync(join(world.work, "f.txt"), "what is in f\n");
  assert.equal((await agent()).code, 0);
  assert.match(results()[0] ?? "", /what is in f/);
});

test("C05: an unknown tool is reported with those there are, and its sibling is skipped", async (t) => {
  const { world, agent, results } = await bench(t, [
    { tool_calls: [{ name: "no_such_zzz", arguments: {}, id: "call_n" }, R("f.txt")] },
    { text: "ok" },
  ]);
  writeFileSync(join(world.work, "f.txt"), "what is in f\n");
  await agent();
  const [unknown = "", skipped = ""] = results();
  const names = /^Tool 'no_such_zzz' does not exist\. Available tools: (.*)$/.exec(unknown)?.[1]?.split(", ") ?? [];
  assert.ok(names.includes("read_file"));
  assert.deepEqual(names, names.toSorted());
  assert.match(skipped, /^Skipped: another tool call/);
});

test("C06: the third round of unknown tools ends the turn", async (t) => {
  const { agent, server } = await bench(t, [{ tool_calls: [{ name: "no_such_zzz", arguments: {} }] }]);
  const { code, out } = await agent("--json");
  const result = JSON.parse(out.trimEnd().split("\n").at(-1) ?? "") as Json;
  assert.deepEqual(
    [code, server.chats().length, result["partial"], result["exit_reason"]],
    [1, 3, true, "invalid_tool_calls"],
  );
});

test("C07: a limit and a server error are waited for, and only the answer is printed", async (t) => {
  const { agent, server, waits } = await bench(t, [
    { status: 429, headers: { "retry-after": "1" } },
    { status: 500 },
    { text: "recovered" },
  ]);
  assert.deepEqual(await agent(), { code: 0, out: "recovered\n", err: "" });
  assert.equal(server.chats().length, 3);
  assert.ok((waits[0] ?? 0) >= 1_000, `${waits}`);
});

test("C09: a refusal is explained with the model's own words, and not repeated", async (t) => {
  const { agent, server } = await bench(t, [{ text: "I cannot.", finish: "content_filter" }]);
  const { code, out } = await agent();
  assert.deepEqual([code, server.chats().length], [1, 1]);
  assert.match(out, /refused[\s\S]*I cannot\./);
});

test("C10: four empty answers end with an explanation", async (t) => {
  const { agent, server } = await bench(t, [{ text: "" }]);
  const { code, out } = await agent();
  assert.deepEqual([code, server.chats().length], [1, 4]);
  assert.match(out, /No reply: /);
});

test("C12: requests are canonical, and each begins with the bytes of the one before up to its last message", async (t) => {
  const call: ScriptedCall = { name: "write_file", arguments: '{ "path": "a.txt",  "content": "x" }', id: "call_a" };
  const { agent, server, bodies } = await bench(t, [
    { text: "I do it.", reasoning: "hm", tool_calls: [call] },
    { tool_calls: [R("a.txt")] },
    { text: "ok" },
  ]);
  assert.equal((await agent()).code, 0);
  const raws = server.chats().map(({ raw }) => raw);
  for (const [at, body] of bodies().entries()) {
    assert.deepEqual([body["stream"], body["stream_options"]], [true, { include_usage: true }]);
    assert.deepEqual(
      namesIn(body["messages"]).filter((name) => name.startsWith("_") || name === "finish_reason"),
      [],
    );
    const next = raws[at + 1];
    if (next === undefined) continue;
    const messages = JSON.stringify(body.messages).slice(0, -1);
    const raw = raws[at] ?? "";
    const head = raw.slice(0, raw.indexOf(messages) + messages.length);
    assert.ok(raw.includes(messages) && next.startsWith(head), `request ${at + 2}`);
  }
  assert.equal(
    bodies()[1]?.messages.find(({ role }) => role === "assistant")?.tool_calls?.[0]?.function.arguments,
    '{"content":"x","path":"a.txt"}',
  );
});

/** Names of all members at any depth. */
function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [name, ...namesIn(inner)]);
}

const CUTS: readonly (readonly [name: string, form: Partial<Reply>])[] = [
  ["unsplit", {}],
  ["single bytes", { split: 1 }],
  ["CRLF line ends", { crlf: true }],
  ["no [DONE]", { done: false }],
  ["all of it", { split: 1, crlf: true, done: false, comments: true }],
];

for (const [name, form] of CUTS) {
  test(`C14: the same comes of a stream with ${name}`, async (t) => {
    const { world, agent } = await bench(t, [
      { text: "I wrïte.", tool_calls: [W("a.txt", "héllo\n")], ...form },
      { text: "Done — 完了.", ...form },
    ]);
    assert.deepEqual(await agent(), { code: 0, out: "Done — 完了.\n", err: "" });
    assert.equal(readFileSync(join(world.work, "a.txt"), "utf8"), "héllo\n");
  });
}

test("C15: a window that is too small is refused with its size before anything is asked", async (t) => {
  const { agent, server } = await bench(t, [{ text: "never" }], {
    server: { window: 8192, models: ["m"] },
    window: "",
  });
  const { code, err } = await agent();
  assert.equal(code, 1);
  assert.match(err, /8192[\s\S]*model\.context_length/);
  assert.equal(server.chats().length, 0);
});

test("C17: every line of --json parses, in order, and the counts are those of the server", async (t) => {
  const usage = {
    prompt_tokens: 70,
    completion_tokens: 11,
    prompt_tokens_details: { cached_tokens: 30 },
    completion_tokens_details: { reasoning_tokens: 4 },
  };
  const { agent } = await bench(t, [
    { tool_calls: [W("a.txt", "x")], usage },
    { text: "Done.", usage },
  ]);
  const { code, out } = await agent("--json");
  assert.equal(code, 0);
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
  const wanted = ["turn.started", "message.added user", "tool.started", "tool.ended", "text.delta", "turn.ended"];
  const seen = lines.map((line) =>
    line["type"] === "message.added" ? `message.added ${String(line["role"])}` : String(line["type"]),
  );
  const places = wanted.map((type) => seen.indexOf(type));
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    seen.join(" "),
  );
  assert.equal(seen.at(-1), "turn.ended");
  const result = lines.at(-1) ?? {};
  const counted = ["input_tokens", "output_tokens", "cache_read_tokens", "reasoning_tokens"].map(
    (name) => result[name],
  );
  assert.deepEqual(counted, [80, 22, 60, 8]);
});
