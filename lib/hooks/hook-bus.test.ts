import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "../../fixtures/ports/clock.js";
import { type Log, silentLog } from "../base/log/log.js";
import { type HookFields, type HookName, NO_HOOKS } from "../contracts/hooks/hooks.js";
import { createHookBus } from "./hook-bus.js";

const CALL: HookFields["pre_tool_call"] = {
  tool_name: "terminal",
  args: { command: "rm -rf x", nested: { list: [1] } },
  task_id: null,
  session_id: "s_1",
  tool_call_id: "c_1",
  turn_id: "s_1:1",
  api_request_id: "s_1:1:r1",
  cwd: "/p",
  middleware_trace: [],
};
const RESULT = {
  ...CALL,
  result: "original",
  duration_ms: 1,
  status: "ok",
  error_type: null,
  error_message: null,
};
const LLM: HookFields["pre_llm_call"] = {
  session_id: "s_1",
  task_id: null,
  turn_id: "s_1:1",
  user_message: "hello",
  conversation_history: [{ role: "user", content: "before" }],
  is_first_turn: false,
  model: "m",
  platform: "cli",
  sender_id: null,
};

function world() {
  const warned: string[] = [];
  const log: Log = {
    ...silentLog,
    warning: (message, facts) =>
      warned.push(`${message}: ${facts?.["source"]}: ${facts?.["error"] ?? facts?.["hook"]}`),
  };
  const clock = manualClock();
  return { clock, warned, bus: createHookBus({ clock, log, timeoutMs: () => 30_000 }) };
}

test("the first block wins and later hooks are not asked", async () => {
  const { bus } = world();
  const asked: string[] = [];
  const add = (source: string, answer: unknown) =>
    bus.add(
      "pre_tool_call",
      () => {
        asked.push(source);
        return answer;
      },
      { source },
    );
  add("a", undefined);
  add("b", Promise.resolve({ action: "block", message: "not today" }));
  add("c", { action: "block", message: "too late" });
  assert.deepEqual(await bus.preToolCall(CALL), { block: "not today" });
  assert.deepEqual(asked, ["a", "b"]);
});

for (const [what, answer, why] of [
  [
    "throws",
    () => {
      throw new Error("no database");
    },
    "no database",
  ],
  ["rejects", () => Promise.reject(new Error("gone")), "gone"],
  ["answers a string", () => "block", 'malformed answer: expected nothing, or {action: "block", message}'],
  [
    "answers in the form of programs",
    () => ({ decision: "block" }),
    'malformed answer: expected nothing, or {action: "block", message}',
  ],
] as const)
  test(`a policy hook that ${what} blocks the call and is named`, async () => {
    const { bus, warned } = world();
    bus.add("pre_tool_call", answer, { source: "guard" });
    assert.deepEqual(await bus.preToolCall(CALL), { block: `blocked: policy hook guard failed: ${why}` });
    assert.equal(warned.length, 1);
  });

test("a policy hook that never answers blocks after its time, and its signal aborts", async () => {
  const { bus, clock } = world();
  let ended = false;
  bus.add(
    "pre_tool_call",
    (_fields, signal) => {
      signal.addEventListener("abort", () => {
        ended = true;
      });
      return new Promise(() => undefined);
    },
    { source: "guard" },
  );
  const asked = bus.preToolCall(CALL);
  await clock.waitsFor(30_000);
  clock.advance(30_000);
  assert.deepEqual(await asked, { block: "blocked: policy hook guard failed: timed out after 30 s" });
  assert.equal(ended, true);
  assert.equal(clock.waiting, 0);
});

test("a policy hook that fails open lets the call pass, and the next one decides", async () => {
  const { bus } = world();
  bus.add(
    "pre_tool_call",
    () => {
      throw new Error("x");
    },
    { source: "a", failOpen: true },
  );
  assert.equal(await bus.preToolCall(CALL), undefined);
  bus.add("pre_tool_call", () => ({ action: "block", message: "b says no" }), { source: "b" });
  assert.deepEqual(await bus.preToolCall(CALL), { block: "b says no" });
});

test("an interrupt ends the wait for a hook", async () => {
  const { bus, clock } = world();
  const control = new AbortController();
  let ended = false;
  bus.add(
    "pre_tool_call",
    (_fields, signal) => {
      signal.addEventListener("abort", () => {
        ended = true;
      });
      return new Promise(() => undefined);
    },
    { source: "guard" },
  );
  const asked = bus.preToolCall(CALL, control.signal);
  await clock.waits();
  control.abort();
  assert.match((await asked)?.block ?? "", /interrupted/);
  assert.equal(ended, true);
  assert.equal(clock.waiting, 0);
});

test("a hook gets copies with the version of the fields: changing them changes nothing", async () => {
  const { bus } = world();
  const seen: unknown[] = [];
  const spoil = (fields: object) => {
    seen.push(structuredClone(fields));
    const { args } = fields as typeof CALL;
    Object.assign(args, { command: "ls" });
    (args["nested"] as { list: number[] }).list.push(2);
  };
  bus.add("pre_tool_call", spoil, { source: "a" });
  bus.add("pre_tool_call", spoil, { source: "b" });
  const given = structuredClone(CALL);
  await bus.preToolCall(given);
  assert.deepEqual(given, CALL);
  const wanted = { ...CALL, telemetry_schema_version: 1 };
  assert.deepEqual(seen, [wanted, wanted]);
});

test("PL3: of two transforms the first throws, and the string of the second is used", async () => {
  const { bus, warned } = world();
  bus.add(
    "transform_tool_result",
    () => {
      throw new Error("broken");
    },
    { source: "a" },
  );
  bus.add("transform_tool_result", () => undefined, { source: "b" });
  bus.add("transform_tool_result", ({ result }) => `${result}, changed`, { source: "c" });
  bus.add("transform_tool_result", () => "never", { source: "d" });
  assert.equal(await bus.transform("transform_tool_result", RESULT), "original, changed");
  assert.deepEqual(warned, ["a hook failed: a: broken"]);
});

test("an empty string replaces the result of a tool, but not the answer of the model", async () => {
  const { bus } = world();
  bus.add("transform_tool_result", () => "", { source: "a" });
  bus.add("transform_llm_output", () => "", { source: "a" });
  bus.add("transform_llm_output", () => "better", { source: "b" });
  assert.equal(await bus.transform("transform_tool_result", RESULT), "");
  const fields = { response_text: "x", session_id: "s", model: "m", platform: "cli" };
  assert.equal(await bus.transform("transform_llm_output", fields), "better");
});

test("the contexts of all hooks are joined by a blank line, and those that fail are left out", async () => {
  const { bus } = world();
  for (const [source, answer] of [
    ["a", "one"],
    ["b", { context: "two" }],
    ["c", 7],
    ["d", ""],
    ["e", undefined],
    ["f", { context: "" }],
    ["g", "three"],
  ] as const)
    bus.add("pre_llm_call", async () => answer, { source });
  assert.equal(await bus.preLlmCall(LLM), "one\n\ntwo\n\nthree");
});

test("a message is skipped when the hook that judges it fails, with the reason for the operator", async () => {
  const { bus } = world();
  const event = {
    platform: "msgt",
    chat: { id: "1", type: "dm", name: null, thread_id: null },
    sender: { id: "u", name: null },
    text: "hi",
    attachments: [],
  };
  const remove = bus.add(
    "pre_gateway_dispatch",
    () => {
      throw new Error("down");
    },
    { source: "filter" },
  );
  assert.deepEqual(await bus.preGatewayDispatch({ event }), {
    action: "skip",
    failed: "policy hook filter failed: down",
  });
  remove();
  bus.add("pre_gateway_dispatch", () => ({ action: "rewrite", text: "hello" }), { source: "filter" });
  assert.deepEqual(await bus.preGatewayDispatch({ event }), { action: "rewrite", text: "hello" });
});

test("a notice never waits: a slow listener gets the next one when it is ready, the others at once", async () => {
  const { bus } = world();
  const told: string[] = [];
  let release: () => void = () => undefined;
  bus.add(
    "post_tool_call",
    async ({ result }) => {
      told.push(`slow ${result}`);
      await new Promise<void>((resolve) => {
        release = resolve;
      });
    },
    { source: "slow" },
  );
  bus.add(
    "post_tool_call",
    ({ result }) => {
      told.push(`quick ${result}`);
    },
    { source: "quick" },
  );
  bus.tell("post_tool_call", { ...RESULT, result: "1", middleware_trace: [] });
  assert.deepEqual(told, ["slow 1", "quick 1"]);
  bus.tell("post_tool_call", { ...RESULT, result: "2", middleware_trace: [] });
  await Promise.resolve();
  assert.equal(told.includes("slow 2"), false);
  release();
  while (!told.includes("slow 2")) await new Promise((resolve) => setImmediate(resolve));
  release();
  await bus.close(1_000);
  assert.deepEqual([...told].sort(), ["quick 1", "quick 2", "slow 1", "slow 2"]);
});

test("a listener that never ends loses notices beyond the bound, with few lines in the log, and does not hold up the end", async () => {
  const { bus, clock, warned } = world();
  let ended = false;
  bus.add(
    "post_tool_call",
    (_fields, signal) => {
      signal.addEventListener("abort", () => {
        ended = true;
      });
      return new Promise(() => undefined);
    },
    { source: "stuck" },
  );
  for (let n = 0; n < 1_000; n += 1) bus.tell("post_tool_call", { ...RESULT, middleware_trace: [] });
  assert.ok(warned.length >= 5 && warned.length < 20, String(warned.length));
  const closed = bus.close(5_000);
  await clock.waitsFor(5_000);
  clock.advance(5_000);
  await closed;
  assert.equal(ended, true);
});

test("an unknown hook is accepted with a warning", () => {
  const { bus, warned } = world();
  const name: string = "on_full_moon";
  bus.add(name as HookName, () => undefined, { source: "a" })();
  assert.deepEqual(warned, ["unknown hook: it is never called: a: on_full_moon"]);
});

test("what was registered can be taken back", async () => {
  const { bus } = world();
  const remove = bus.add("pre_tool_call", () => ({ action: "block", message: "no" }), { source: "a" });
  const removeChain = bus.addMiddleware("tool_request", (call, next) => next(call), "a");
  assert.equal(bus.has("pre_tool_call"), true);
  assert.deepEqual(bus.list(), [{ name: "pre_tool_call", source: "a", failOpen: false }]);
  remove();
  removeChain();
  assert.equal(bus.has("pre_tool_call"), false);
  assert.equal(bus.middleware("tool_request"), undefined);
});

const REQUEST = {
  tool_name: "terminal",
  args: { command: "ls" },
  tool_call_id: "c",
  session_id: "s",
  task_id: null,
  turn_id: null,
  api_request_id: null,
};

test("middleware runs in registration order around the call, each with its own copy", async () => {
  const { bus } = world();
  const order: string[] = [];
  for (const source of ["a", "b"])
    bus.addMiddleware(
      "tool_execution",
      async (call, next) => {
        order.push(`${source} in ${call.args["command"]}`);
        const { result, status } = await next({ ...call, args: { command: `${call.args["command"]}${source}` } });
        order.push(`${source} out`);
        return { result: `${result} ${source}`, status };
      },
      source,
    );
  const chain = bus.middleware("tool_execution");
  const ran = await chain?.run(REQUEST, async ({ args }) => ({ result: `ran ${args["command"]}`, status: "ok" }));
  assert.deepEqual(order, ["a in ls", "b in lsa", "b out", "a out"]);
  assert.equal(ran?.result, "ran lsab b a");
});

test("a middleware that throws or never settles is named; its time stands still while the call runs", async () => {
  const { bus, clock } = world();
  const remove = bus.addMiddleware(
    "tool_execution",
    () => {
      throw new Error("bad plugin");
    },
    "a",
  );
  const last = async () => ({ result: "x", status: "ok" });
  await assert.rejects(
    async () => bus.middleware("tool_execution")?.run(REQUEST, last),
    /middleware of a failed: bad plugin/,
  );
  remove();
  bus.addMiddleware(
    "tool_execution",
    async (call, next) => {
      await next(call);
      return new Promise(() => undefined);
    },
    "b",
  );
  const slow = async () => {
    clock.advance(100_000); // the tool may take its time
    return last();
  };
  const ran = assert.rejects(
    async () => bus.middleware("tool_execution")?.run(REQUEST, slow),
    /middleware of b failed: timed out after 30 s/,
  );
  for (let n = 0; n < 10; n += 1) await Promise.resolve();
  clock.advance(30_000);
  await ran;
  assert.equal(clock.waiting, 0);
});

test("what the call itself throws passes through middleware unchanged", async () => {
  const { bus } = world();
  bus.addMiddleware("tool_execution", (call, next) => next(call), "a");
  const thrown = new TypeError("of the tool");
  await assert.rejects(
    async () =>
      bus.middleware("tool_execution")?.run(REQUEST, async () => {
        throw thrown;
      }),
    (error) => error === thrown,
  );
});

test("the bus that no one listens to decides nothing", async () => {
  assert.equal(NO_HOOKS.has("pre_tool_call"), false);
  assert.equal(await NO_HOOKS.preToolCall(CALL), undefined);
  assert.equal(NO_HOOKS.middleware("tool_request"), undefined);
});
