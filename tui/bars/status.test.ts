import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { key, openScreen } from "../../fixtures/tui/screen.js";
import type { Message } from "../model/messages.js";
import { clock, short } from "./fields.js";

const chat = (event: string, data: Readonly<Record<string, unknown>> = {}): Message => ({ type: "chat", event, data });
const SESSION: Message = {
  type: "session",
  id: "s_1",
  title: "fix the parser",
  model: "openrouter x/some-model",
  items: [],
  fresh: true,
} as const;
const ASKED = chat("approval.requested", {
  request: "q_1",
  kind: "command",
  tool: "terminal",
  command: "rm -rf q",
  cwd: "/w",
  segments: [],
  reasons: [],
  options: ["once", "deny"],
  rules: {},
  expires_at: 400_000,
  origin: {},
});
const usage = (input: number, cached: number, output: number, cost: number | null = null): Message =>
  chat("usage", {
    input_tokens: input,
    cache_read_tokens: cached,
    cache_write_tokens: 0,
    output_tokens: output,
    last_prompt_tokens: input + cached,
    session: { estimated_cost_usd: cost },
  });
const called = (to: string, result: unknown): Message => ({ type: "called", to, ok: true, result });

/** A screen with a conversation; `line` is its status line at a time. */
async function setup(t: TestContext, columns = 160, rows = 40) {
  const made = await openScreen(columns, rows);
  t.after(made.close);
  await made.send(SESSION);
  const line = async (at: number, ...messages: Message[]) => {
    made.at(at, at);
    const lines = await made.send(...messages);
    return lines[rows - 1] ?? "";
  };
  return { ...made, line };
}

test("of a turn that a program works the line shows what it says of its state, and how long it has been silent", async (t) => {
  const { line } = await setup(t);
  const phase = (detail: string, program?: string) =>
    chat("turn.phase", { phase: "waiting_model", detail, since: "", ...(program === undefined ? {} : { program }) });
  await line(1_000, chat("turn.started"), phase("", "app-server"));
  assert.match(await line(10_000), /^ \S thinking +│ {2}0:09/);
  assert.match(await line(46_000), /^ \S thinking \(last event 45 s ago\) │ {2}0:45/);
  const retried = await line(50_000, phase("Reconnecting... 1/5", "app-server"));
  assert.match(retried, /^ \S Reconnecting\.\.\. 1\/5 +│ {2}0:49/);
  const call = chat("tool.started", {
    call_id: "c",
    name: "exec_command",
    args: "{}",
    preview: "make",
    index: 0,
    of: 1,
  });
  assert.match(await line(60_000, call), /^ \S exec_command +0 s │/);
  assert.match(await line(180_000), /^ \S exec_command 2m 00s \(last event 2m 00s ago\) │/);
  await line(181_000, chat("turn.ended"), chat("turn.started"), phase(""));
  assert.match(await line(300_000), /^ \S thinking +│/, "the loop of the agent has time limits of its own");
});

test("what the turn does at this moment stands first, and nothing beside it moves", async (t) => {
  const { line } = await setup(t);
  assert.match(await line(0), /^ idle/);
  const thinking = await line(1_000, chat("turn.started"));
  assert.match(thinking, /^ \S thinking +│ {2}0:00/);
  const writing = await line(42_000, chat("text.delta", { text: "a" }));
  assert.match(writing, /^ \S writing +│ {2}0:41/);
  assert.equal(writing.indexOf("│"), thinking.indexOf("│"));
  const tool = await line(43_000, chat("tool.started", { call_id: "c", name: "terminal", preview: "npm test" }));
  assert.match(tool, /^ \S npm test +0 s │/);
  assert.match(await line(55_000), /^ \S npm test +12 s │/);
  const two = chat("tool.started", { call_id: "d", name: "read_file", preview: "a" });
  assert.match(await line(55_000, two), /npm test \+1 +12 s/);
  assert.match(await line(56_000, chat("tool.ended", { call_id: "c" })), /read_file +1 s/);
  assert.match(await line(57_000, chat("tool.ended", { call_id: "d" }), chat("turn.ended")), /^ idle/);
});

test("a retry counts down, and names its cause until something comes", async (t) => {
  const { line } = await setup(t);
  await line(0, chat("turn.started"));
  assert.match(
    await line(0, chat("retry", { attempt: 2, of: 3, wait_ms: 4_000, cause: "429" })),
    /retry 1\/2 in 4 s: 429/,
  );
  assert.match(await line(3_500), /retry 1\/2 in 1 s: 429/);
  assert.match(await line(4_500), /retry 1\/2: 429/);
  assert.match(await line(5_000, chat("text.delta", { text: "a" })), /writing/);
});

test("W06: Ctrl+C is seen at once, and stays whatever the turn still tells", async (t) => {
  const { line, effects } = await setup(t);
  await line(0, chat("turn.started"));
  await line(10, chat("text.delta", { text: "a" }));
  assert.match(await line(20, key("c", { ctrl: true })), /interrupting/);
  assert.match(
    await line(30, chat("text.delta", { text: "b" }), chat("turn.phase", { phase: "tool" })),
    /interrupting/,
  );
  assert.deepEqual(effects.at(-1), { do: "interrupt", force: false });
  assert.match(await line(40, chat("turn.ended")), /^ idle/);
  assert.match(await line(50, chat("turn.started")), /thinking/);
});

test("the turn's time stands still while the user is asked", async (t) => {
  const { line } = await setup(t);
  await line(0, chat("turn.started"));
  assert.match(await line(10_000, ASKED), /^ \? approval +│ {2}0:10 │ ! 1 question/);
  assert.match(await line(70_000), /0:10/);
  assert.match(await line(70_000, chat("approval.resolved", { request: "q_1", answer: "once" })), /0:10/);
  assert.match(await line(72_000), /0:12/);
});

test("a call that waited for approval counts its time from the answer", async (t) => {
  const { line } = await setup(t);
  await line(0, chat("turn.started"), chat("tool.started", { call_id: "c1", name: "terminal", preview: "make" }));
  await line(
    10_000,
    chat("approval.requested", { request: "q_9", call_id: "c1", kind: "command", command: "make", origin: {} }),
  );
  assert.match(await line(70_000, chat("approval.resolved", { request: "q_9", answer: "once" })), / make +0 s/);
});

test("the context is shown with the place where compaction begins, coloured by how near that is", async (t) => {
  const { line, term, effects } = await setup(t);
  await line(0, chat("turn.started"), usage(4_000, 30_000, 100));
  const ended = chat("turn.ended", {
    context_window: 128_000,
    last_prompt_tokens: 34_000,
    provider: "openrouter",
    base_url: "https://x.example",
  });
  assert.match(await line(0, ended), /34k\/128k 27% │/);
  const asked = effects.filter((one) => one.do === "call").map((one) => one.method);
  assert.ok(asked.includes("session.context") && asked.includes("session.status"));
  assert.match(
    await line(0, called("status.context", { window: 128_000, trigger: 64_000 })),
    /34k\/128k 27% \(compact 50%\)/,
  );
  const colour = () => {
    const row = term.buffer.active.getLine(39);
    const at = row?.translateToString().indexOf("/128k") ?? 0;
    return row?.getCell(at)?.getFgColor();
  };
  const colours = [];
  for (const prompt of [34_000, 50_000, 60_000, 70_000]) {
    await line(0, usage(prompt, 0, 0));
    colours.push(colour());
  }
  assert.equal(new Set(colours).size, 4, String(colours));
});

test("tokens of the turn are added up with their cached share, and begin again with the next turn", async (t) => {
  const { line } = await setup(t);
  await line(0, chat("turn.started"));
  assert.match(await line(0, usage(2_000, 8_000, 600)), /↑10\.0k \(80% cached\) ↓600/);
  assert.match(await line(0, usage(4_200, 0, 500)), /↑14\.2k \(56% cached\) ↓1\.1k/);
  assert.doesNotMatch(await line(0, chat("turn.ended"), chat("turn.started")), /↑/);
});

const ENDS: readonly (readonly [
  what: string,
  provider: string,
  url: string,
  cost: number | null,
  shown: RegExp | undefined,
])[] = [
  ["what the provider said", "openrouter", "https://x.example/v1", 0.123, /\$0\.12/],
  ["less than a cent", "openrouter", "https://x.example/v1", 0.001, /<\$0\.01/],
  ["that nobody knows it", "custom", "https://x.example/v1", null, /\$\?/],
  ["nothing for a server of this machine", "custom", "http://127.0.0.1:8080/v1", null, undefined],
  ["nothing for the stand-in", "offline", "", null, undefined],
];
for (const [what, provider, url, cost, shown] of ENDS)
  test(`the cost says ${what}`, async (t) => {
    const { line } = await setup(t);
    const text = await line(
      0,
      chat("turn.started"),
      usage(10, 0, 1, cost),
      chat("turn.ended", { provider, base_url: url, context_window: 9 }),
    );
    if (shown === undefined) assert.doesNotMatch(text, /\$/);
    else assert.match(text, shown);
  });

test("model, effort, goal, flags and place come last; a model that took over says so", async (t) => {
  const { line } = await setup(t, 200);
  const told = {
    effort: "high",
    fast: true,
    ephemeral: true,
    goal: { status: "active", turns_used: 3, max_turns: 20 },
  };
  const text = await line(0, called("status.session", { ...told, directory: "~/src/lexer", branch: "main" }));
  assert.match(text, /goal 3\/20 │ some-model high fast │ ephemeral │ main ~\/src\/lexer │ fix the parser/);
  assert.match(await line(0, chat("goal.changed", { status: "paused", turns_used: 3, max_turns: 20 })), /goal paused/);
  const other = chat("fallback", {
    from: { provider: "a", model: "b" },
    to: { provider: "c", model: "spare" },
    cause: "429",
  });
  assert.match(await line(0, other), /spare high fast \(fallback\)/);
});

test("YOLO is never dropped above 40 columns, and the first fields stay longest", async (t) => {
  for (const columns of [200, 120, 80, 60, 41]) {
    const { line } = await setup(t, columns, 24);
    const yolo: Message = { type: "questions", rows: [], yolo: true };
    await line(
      0,
      yolo,
      called("status.session", { effort: "high", directory: "~/src/lexer/with/a/long/name", branch: "main" }),
    );
    await line(
      0,
      chat("turn.started"),
      usage(34_000, 0, 1_100),
      called("status.context", { window: 128_000, trigger: 64_000 }),
    );
    const text = await line(
      41_000,
      chat("queue.changed", { items: [{ id: "i", text: "next", kind: "message" }], paused: false }),
    );
    assert.match(text, /thinking.*0:41.*27%.*YOLO/, `${columns}: ${text}`);
    assert.ok(text.length <= columns);
    if (columns >= 60) assert.match(text, /queue 1/, `${columns}: ${text}`);
  }
});

test("a turn in whose middle someone begins to look has the time since its beginning", async (t) => {
  const { line } = await setup(t);
  const view: Message = {
    type: "view",
    view: { turn_id: "s_1:1", turn_started_at: 60_000, phase: "writing", streamed: "" },
  };
  assert.match(await line(101_500, view), /^ \S writing +│ {2}0:41/);
});

test("a lost connection says since when", async (t) => {
  const { line } = await setup(t);
  await line(1_000, { type: "connection", state: "lost" });
  assert.match(await line(4_000), /^ disconnected 3 s/);
});

test("a question of another conversation is counted until it is closed, and Alt+A goes there", async (t) => {
  const { line, effects } = await setup(t);
  const asked = { type: "askedElsewhere", session: "s_2", data: { request: "q_9", command: "rm x" } } as const;
  assert.match(await line(0, { ...asked, event: "approval.requested" }), /! 1 elsewhere/);
  await line(0, key("a", { alt: true }));
  assert.deepEqual(effects.at(-1), { do: "open", session: "s_2" });
  assert.doesNotMatch(await line(0, { ...asked, event: "approval.resolved" }), /elsewhere/);
});

test("another conversation begins with nothing of the one before", async (t) => {
  const { line } = await setup(t);
  await line(0, chat("turn.started"), usage(34_000, 0, 1_100));
  const text = await line(9_000, { ...SESSION, id: "s_2", title: "other" } as Message);
  assert.match(text, /^ idle │ some-model │ other/);
});

test("an error is seen until a key is pressed, anything else for four seconds", async (t) => {
  const { at, send } = await setup(t);
  at(0);
  assert.match((await send({ type: "say", text: "copied 12 lines", error: false }))[38] ?? "", /copied 12 lines$/);
  assert.doesNotMatch((await send({ type: "tick", now: 4_100, wall: 0 }))[38] ?? "", /copied/);
  assert.match((await send({ type: "say", text: "it failed", error: true }))[38] ?? "", /it failed$/);
  assert.match((await send({ type: "tick", now: 60_000, wall: 0 }))[38] ?? "", /it failed$/);
  assert.doesNotMatch((await send(key("x")))[38] ?? "", /it failed/);
});

test("the hints are those of what has the keys: the composer, a pane, an overlay, a question", async (t) => {
  const { at, send } = await setup(t);
  assert.match((await send())[38] ?? "", /^ .*F1 help {2}\^P palette {2}\^O sessions/);
  assert.match((await send(key("f2")))[38] ?? "", /Space fold.*i type/);
  assert.match((await send(key("escape"), key("p", { ctrl: true })))[38] ?? "", /Enter run {2}Tab more {2}Esc back/);
  await send(key("escape"));
  at(5_000);
  await send(ASKED);
  at(8_000);
  assert.match((await send())[38] ?? "", /^ Enter confirm {2}t reason {2}v whole {2}i why/);
});

const TIMES: readonly (readonly [ms: number, text: string])[] = [
  [0, "0:00"],
  [41_900, "0:41"],
  [3_599_000, "59:59"],
  [3_723_000, "1:02:03"],
  [-5, "0:00"],
];
for (const [ms, text] of TIMES) test(`${ms} ms of a turn are ${text}`, () => assert.equal(clock(ms), text));

const COUNTS: readonly (readonly [count: number, text: string])[] = [
  [0, "0"],
  [999, "999"],
  [1_100, "1.1k"],
  [14_200, "14.2k"],
  [99_949, "99.9k"],
  [128_000, "128k"],
  [1_300_000, "1.3M"],
];
for (const [count, text] of COUNTS) test(`${count} tokens are ${text}`, () => assert.equal(short(count), text));

test("/statusbar off gives the rows of status line and hints to the rest, and on gives them back", async (t) => {
  const { send } = await setup(t, 80, 24);
  const off = await send({ type: "next", next: { screen: { statusbar: "off" } } });
  assert.match(off[23] ?? "", /^›/);
  assert.doesNotMatch(off.join("\n"), /F1 help|idle/);
  const on = await send({ type: "next", next: { screen: { statusbar: "toggle" } } });
  assert.match(on[22] ?? "", /F1 help/);
  assert.match(on[23] ?? "", /idle/);
});

test("below 14 rows a message takes the place of the status line for its time", async (t) => {
  const { send, line, state } = await setup(t, 40, 12);
  await send({ type: "say", text: "copied 3 lines", error: false });
  assert.match(await line(100), /^ copied 3 lines/);
  await line(100, key("c", { ctrl: true }));
  assert.match(await line(110), /^ Press Ctrl\+C again to quit/);
  assert.match(await line(9_000, { type: "tick", now: 9_000, wall: 0 }), /idle/);
  assert.equal(state().message, undefined);
});

test("the model is on screen before the first turn, and stays when the conversation is read again", async (t) => {
  const { line } = await setup(t);
  const serving = { how: "configured", provider: "acme", model: "big-1" };
  assert.match(await line(0, { ...SESSION, model: "" }, called("start", { offer: null, serving })), /some-model|big-1/);
  const other: Message = { ...SESSION, id: "s_2", model: "", title: "" };
  assert.match(await line(0, other), /│ big-1 /);
  assert.match(
    await line(0, SESSION, { ...SESSION, model: "", title: "", fresh: false }),
    /some-model.*fix the parser/,
  );
});

test("the meter of the window is there as soon as a conversation with messages is taken up", async (t) => {
  const { send, effects, line } = await setup(t);
  await send({ type: "view", view: { session: { last_prompt_tokens: 9_000 } } });
  assert.ok(effects.some((one) => one.do === "call" && one.method === "session.context"));
  assert.match(await line(0, called("status.context", { window: 32_768, trigger: 16_384 })), /9k\/33k 27%/);
});
