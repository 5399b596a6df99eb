import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { silentLog } from "../../base/log/log.js";
import type { TurnId } from "../../base/units.js";
import { type AnyTool, defineTool, type ToolContext } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { TOOLS } from "../../tools/index.gen.js";
import { createGuardrails } from "../../tools/run/guardrails.js";
import { CALLBACK_TOOLS, type CallbackTurn, callbackTools } from "./callback-tools.js";
import type { TurnDeps } from "./turn-types.js";
import { newTurnUsage } from "./turn-usage.js";

const QUIET = new AbortController().signal;

type Run = (text: string, ctx: ToolContext) => Promise<string>;

function toolOf(name: string, run: Run = async (text) => text, risk: "read" | "write" = "read"): ToolEntry {
  const tool = defineTool({
    name,
    toolset: "test",
    description: `Does ${name}.`,
    params: z.object({ text: z.string() }),
    risk,
    effects: () => ({ reads: [], writes: risk === "read" ? [] : ["world"] }),
    limits: { ms: 60_000, chars: 2_000 },
    preview: ({ text }) => text,
    run: async ({ text }, ctx) => ({ text: await run(text, ctx) }),
  }) as AnyTool;
  const schema = { type: "object", properties: { text: { type: "string" } } };
  return { name, toolset: "test", description: `Does ${name}.`, risk, schema, load: async () => tool };
}

interface More {
  readonly deferred?: readonly ToolEntry[];
  readonly context?: object;
}

/** A turn as calls of a program see it. */
function turnWith(tools: readonly ToolEntry[], { deferred, context = {} }: More = {}) {
  const control = new AbortController();
  const deps = {
    tools,
    ...(deferred === undefined ? {} : { deferred }),
    clock: manualClock(),
    log: silentLog,
    resultDir: "/nonexistent",
    guard: createGuardrails({
      warnings: true,
      hardStop: true,
      warnAfter: { exact: 2, sameTool: 3, noProgress: 2 },
      stopAfter: { exact: 5, sameTool: 8, noProgress: 5 },
    }),
    redact: (text: string) => text.replaceAll("hunter2", "«secret:password:1»"),
    context: (callId: string, signal: AbortSignal) => ({
      callId,
      signal,
      session: "s",
      env: {},
      ports: {},
      log: silentLog,
      state: { cwd: "/", launchDir: "/", entry: (_: string, make: () => unknown) => make() },
      redact: (text: string) => text.replaceAll("hunter2", "«secret:password:1»"),
      reveal: (text: string) => ({ text: text.replaceAll("«secret:password:1»", "hunter2"), missing: [] }),
      permit: async () => ({ allowed: true, by: "no risk" }),
      ...context,
    }),
  } as unknown as TurnDeps; // calls use nothing else of it
  const turn: CallbackTurn = { id: "t1" as TurnId, deps, signal: control.signal, turnUsage: newTurnUsage() }; // an id of this test
  return { turn, interrupt: () => control.abort() };
}

test("a program is offered the web, browser, vision, image, skill, speech and board tools, and no others", async (t) => {
  proves(t, "callback.tools");
  const known = TOOLS.map(({ name }) => name);
  assert.deepEqual(
    [...CALLBACK_TOOLS].filter((name) => !known.includes(name)),
    [],
  );
  const { tools, begin } = callbackTools();
  assert.deepEqual(await tools.list(), []);
  const end = begin(turnWith(TOOLS).turn);
  const names = (await tools.list()).map(({ name }) => name);
  assert.deepEqual(new Set(names), CALLBACK_TOOLS);
  assert.equal(names.filter((name) => name.startsWith("kanban_")).length, 9);
  const view = (await tools.list()).find(({ name }) => name === "skill_view");
  assert.deepEqual([view?.reads, view?.schema], [true, TOOLS.find(({ name }) => name === "skill_view")?.schema]);
  await end();
});

test("neither terminal nor files nor tools that need the loop can be called, whatever the conversation offers", async (t) => {
  proves(t, "callback.not-exposed");
  const { tools, begin } = callbackTools();
  const end = begin(turnWith(TOOLS).turn);
  for (const name of [
    "terminal",
    "process",
    "read_file",
    "write_file",
    "patch",
    "search_files",
    "execute_code",
    "delegate_task",
    "memory",
    "session_search",
    "todo",
    "clarify",
    "tool_call",
    "skill_manage",
    "Skill_View",
    "",
  ]) {
    const { text, isError } = await tools.call(name, {}, QUIET);
    assert.ok(isError);
    assert.match(text, /does not exist; available: /, name);
  }
  await end();
});

test("a tool that the conversation does not offer is neither listed nor called, one behind tool_search is", async () => {
  const { tools, begin } = callbackTools();
  const end = begin(turnWith([toolOf("skill_view"), toolOf("terminal")], { deferred: [toolOf("web_search")] }).turn);
  assert.deepEqual(
    (await tools.list()).map(({ name }) => name),
    ["skill_view", "web_search"],
  );
  assert.equal((await tools.call("web_search", { text: "x" }, QUIET)).isError, false);
  const refused = await tools.call("kanban_complete", { text: "x" }, QUIET);
  assert.match(refused.text, /not available in this conversation; available: skill_view, web_search/);
  await end();
});

test("secrets of a result become placeholders, and placeholders of arguments are the true values for the tool", async () => {
  const { tools, begin } = callbackTools();
  const seen: string[] = [];
  const entry = toolOf("web_extract", async (text) => {
    seen.push(text);
    return "the password is hunter2";
  });
  const tool = await entry.load();
  const revealing: ToolEntry = { ...entry, load: async () => ({ ...tool, secrets: "true" }) };
  const guarded = toolOf("web_search");
  const plain = await guarded.load();
  const refusing: ToolEntry = { ...guarded, load: async () => ({ ...plain, secrets: "refused" }) };
  const end = begin(turnWith([revealing, refusing]).turn);
  const refused = await tools.call("web_search", { text: "for «secret:password:1»" }, QUIET);
  assert.match(refused.text, /a secret cannot be handed to this tool/);
  const { text } = await tools.call("web_extract", { text: "with «secret:password:1»" }, QUIET);
  assert.deepEqual(seen, ["with hunter2"]);
  assert.ok(!text.includes("hunter2") && text.includes("«secret:password:1»"), text);
  await end();
});

test("a policy hook blocks a call of the program as it blocks one of the loop", async () => {
  const { tools, begin } = callbackTools();
  const asked: string[] = [];
  const hooks = {
    has: (name: string) => name === "pre_tool_call",
    middleware: () => undefined,
    preToolCall: async ({ tool_name }: { tool_name: string }) => {
      asked.push(tool_name);
      return { block: "not today" };
    },
    tell: () => undefined,
  };
  const end = begin(turnWith([toolOf("skill_view")], { context: { hooks } }).turn);
  assert.deepEqual(await tools.call("skill_view", { text: "x" }, QUIET), {
    text: '{"error":"not today"}',
    isError: true,
  });
  assert.deepEqual(asked, ["skill_view"]);
  await end();
});

test("bad arguments are a result that says so", async () => {
  const { tools, begin } = callbackTools();
  const end = begin(turnWith([toolOf("skill_view")]).turn);
  for (const args of [{}, { text: { a: 1 } }, undefined]) {
    const { text, isError } = await tools.call("skill_view", args, QUIET);
    assert.ok(isError);
    assert.match(text, /text/);
  }
  await end();
});

test("calls run beside one another, those that conflict one after another", async () => {
  const { tools, begin } = callbackTools();
  let running = 0;
  let most = 0;
  const work: Run = async (text) => {
    running += 1;
    most = Math.max(most, running);
    await new Promise<void>((resolve) => setImmediate(resolve));
    running -= 1;
    return text;
  };
  const end = begin(turnWith([toolOf("web_search", work), toolOf("image_generate", work, "write")]).turn);
  const all = (name: string) =>
    Promise.all([1, 2, 3, 4].map((n) => tools.call(name, { text: `${n}` }, new AbortController().signal)));
  assert.deepEqual(
    (await all("web_search")).map(({ text }) => text.includes("1") || !text.includes("error")),
    [true, true, true, true],
  );
  assert.ok(most > 1);
  most = 0;
  await all("image_generate");
  assert.equal(most, 1);
  await end();
});

test("calls end with their turn, with its interrupt and with anyone who made them; between turns none begins", async () => {
  const { tools, begin } = callbackTools();
  let started = 0;
  const hang: Run = (_, { signal }) => {
    started += 1;
    return new Promise((_resolve, reject) =>
      signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
    );
  };
  const once = async (stop: (given: { cancel(): void; interrupt(): void; end(): Promise<void> }) => unknown) => {
    const { turn, interrupt } = turnWith([toolOf("web_search", hang)]);
    const end = begin(turn);
    const control = new AbortController();
    const before = started;
    const call = tools.call("web_search", { text: "x" }, control.signal);
    while (started === before) await new Promise<void>((resolve) => setImmediate(resolve));
    await stop({ cancel: () => control.abort(), interrupt, end });
    assert.ok((await call).isError);
    await end();
  };
  await once(({ cancel }) => cancel());
  await once(({ interrupt }) => interrupt());
  await once(({ end }) => end());
  const { text, isError } = await tools.call("web_search", { text: "x" }, QUIET);
  assert.ok(isError);
  assert.match(text, /no turn of the conversation is running/);
  assert.equal((await tools.list()).length, 1);
});

test("an accepted board call that ends a worker's task is told to anyone who runs the turn", async () => {
  const { tools, begin } = callbackTools();
  const entry = toolOf("kanban_complete");
  const tool = await entry.load();
  const ending = { ...entry, load: async () => ({ ...tool, run: async () => ({ text: "done", endsRun: true }) }) };
  const told: (boolean | undefined)[] = [];
  const end = begin(turnWith([ending as ToolEntry]).turn, { ended: ({ endsRun }) => told.push(endsRun) });
  assert.deepEqual(await tools.call("kanban_complete", { text: "x" }, QUIET), { text: "done", isError: false });
  assert.deepEqual(told, [true]);
  await end();
});
