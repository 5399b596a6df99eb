import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import * as z from "zod";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { proves } from "../../../fixtures/requirements.js";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import { plainStream } from "../../../fixtures/worlds/tool-context.js";
import { AppError } from "../../base/errors.js";
import { silentLog } from "../../base/log/log.js";
import type { Transcript } from "../../contracts/chat/chat.js";
import type { ModelChoice, ModelEvent, ModelRequest } from "../../contracts/models/model.js";
import { defineTool, type ToolContext } from "../../tools/core/define.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import { createGuardrails } from "../../tools/run/guardrails.js";
import { createToolState } from "../transcript/tool-state.js";
import { openTranscript } from "../transcript/transcript.js";
import { runTurn } from "./turn.js";
import type { TurnDeps } from "./turn-types.js";

type Reply = Partial<Extract<ModelEvent, { type: "done" }>> | { readonly failed: string } | "hang";

const echo = defineTool({
  name: "echo",
  toolset: "test",
  description: "Says it again.",
  params: z.object({ text: z.string() }),
  risk: "read",
  effects: () => ({ reads: [], writes: [] }),
  limits: { ms: 1_000, chars: 10_000 },
  preview: ({ text }) => text,
  run: async ({ text }) => ({ text }),
});

const entry: ToolEntry = {
  name: "echo",
  toolset: "test",
  description: "Says it again.",
  risk: "read",
  schema: {},
  load: async () => echo,
};
const call = (id: string, name = "echo", args = '{"text":"hi"}') => ({ id, name, arguments: args });

/** A model that gives the replies in order and keeps what it was asked. */
function scripted(replies: readonly Reply[], requests: ModelRequest[], control: AbortController) {
  let turnOfReply = 0;
  return async function* ask(
    _choice: ModelChoice,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent> {
    requests.push(request);
    const reply = replies[turnOfReply] ?? { content: "(no more replies)" };
    turnOfReply += 1;
    if (reply === "hang") {
      yield { type: "text", text: "half" };
      control.abort();
      yield { type: "failed", partial: "half", failure: { class: "aborted", message: "aborted", retry: false } };
      return;
    }
    if ("failed" in reply) {
      yield { type: "failed", partial: "", failure: { class: "server_error", message: reply.failed, retry: false } };
      return;
    }
    assert.equal(signal.aborted, false);
    const whole = {
      finish: "stop",
      content: "",
      reasoning: "",
      toolCalls: [],
      usage: undefined,
      model: "m",
      ...reply,
    } as const;
    if (whole.content !== "") yield { type: "text", text: whole.content };
    yield { type: "done", ...whole };
  };
}

/** A turn against a scripted model and a real session store. */
async function setup(
  t: TestContext,
  replies: readonly Reply[],
  more: Partial<TurnDeps> = {},
  broken: Partial<Pick<Transcript, "append" | "event" | "draft">> = {},
) {
  const { clock, store, sessions } = sessionStore(t);
  const session = await sessions.create({
    source: "cli",
    cwd: "/",
    profile: "default",
    model: "m",
    provider: "p",
  });
  const transcript = Object.assign(openTranscript({ store, clock }, session), broken);
  const requests: ModelRequest[] = [];
  const control = new AbortController();
  const ask = scripted(replies, requests, control);
  const choice: ModelChoice = {
    model: "m",
    window: 128_000,
    provider: {
      id: "p",
      baseUrl: "http://x",
      stream: () => ask(choice, requests[0] as ModelRequest, control.signal),
      models: async () => [],
    },
  }; // never streamed itself
  const state = createToolState("/", transcript);
  const deps: TurnDeps = {
    transcript,
    choice,
    system: "system",
    ask,
    tools: [entry],
    context: (callId, signal) =>
      ({
        callId,
        signal,
        redact: (text: string) => text,
        log: silentLog,
        session: session.id,
        env: {},
        ports: {},
        state,
        permit: async () => ({ allowed: true, by: "no risk" }),
      }) as unknown as ToolContext, // the tool of this test uses nothing else
    live: () => undefined,
    directoryContext: true,
    redact: (text) => text,
    redactStream: () => plainStream((text) => text),
    clock,
    log: silentLog,
    guard: createGuardrails({
      warnings: true,
      hardStop: false,
      warnAfter: { exact: 2, sameTool: 3, noProgress: 2 },
      stopAfter: { exact: 5, sameTool: 8, noProgress: 5 },
    }),
    resultDir: "/nonexistent",
    maxRounds: 90,
    maxMs: 0,
    verifyMutations: true,
    explainCompletion: true,
    ...more,
  };
  const stored = async () => (await transcript.messages()).map((message) => `${message.role}:${message.content}`);
  const commits: string[][] = [];
  store.onEvents((events) => commits.push(events.map(({ kind }) => kind)));
  return { run: () => runTurn(deps, { text: "go" }, control.signal), requests, stored, commits };
}

test("a round whose calls write nothing and end at once is one commit, and the model gets call and result in order", async (t) => {
  const rounds = ["a", "b", "c"].map((id): Reply => ({ toolCalls: [call(id, "echo", `{"text":"${id}"}`)] }));
  const { run, requests, commits } = await setup(t, [...rounds, { content: "done" }]);
  await run();
  const of = (kinds: readonly string[]) => kinds.includes("tool.started");
  const whole = ["message.added", "tool.started", "message.added", "tool.ended"];
  assert.deepEqual(commits.filter(of).slice(1), [whole, whole]); // the first one loads the tools
  const said = requests
    .at(-1)
    ?.messages.map((message) => (message.role === "tool" ? message.toolCallId : message.role));
  assert.deepEqual(said, ["system", "user", "assistant", "a", "assistant", "b", "assistant", "c"]);
});

test("an answer is stored behind the question and ends the turn", async (t) => {
  const { run, stored } = await setup(t, [{ content: "done" }]);
  const result = await run();
  assert.equal(result.final_response, "done");
  assert.equal(result.completed, true);
  assert.equal(result.exit_reason, "text_response");
  assert.deepEqual(await stored(), ["user:go", "assistant:done"]);
});

test("calls run, their results go to the model, and the request grows only at its end", async (t) => {
  proves(t, "chat.loop.tools");
  const { run, stored, requests } = await setup(t, [
    { finish: "tool_calls", toolCalls: [call("a"), call("b", "echo", '{"text":"ho"}')] },
    { content: "end" },
  ]);
  const result = await run();
  assert.equal(result.tool_calls, 2);
  assert.deepEqual(await stored(), ["user:go", "assistant:", "tool:hi", "tool:ho", "assistant:end"]);
  const [first, second] = requests.map((request) => JSON.stringify(request.messages));
  assert.ok(second?.startsWith(first?.slice(0, -1) ?? "?"));
  assert.deepEqual(
    requests[1]?.messages.slice(-2).map(({ role, content }) => [role, content]),
    [
      ["tool", "hi"],
      ["tool", "ho"],
    ],
  );
});

test("an answer that was cut is continued, and stored as one", async (t) => {
  const { run, stored, requests } = await setup(t, [
    { finish: "length", content: "Part one, " },
    { content: "part two." },
  ]);
  assert.equal((await run()).final_response, "Part one, part two.");
  assert.deepEqual(await stored(), ["user:go", "assistant:Part one, part two."]);
  const last = requests[1]?.messages.slice(-2).map((message) => message.role);
  assert.deepEqual(last, ["assistant", "user"]);
});

test("a truncated call is never run; the same request is asked again", async (t) => {
  const { run, requests } = await setup(t, [
    { finish: "length", toolCalls: [call("a", "echo", '{"te')] },
    { finish: "tool_calls", toolCalls: [call("b")] },
    { content: "ok" },
  ]);
  const result = await run();
  assert.equal(result.tool_calls, 1);
  assert.deepEqual(requests[0]?.messages, requests[1]?.messages);
});

test("an unknown tool is answered, its valid sibling is skipped, and the third such round ends the turn", async (t) => {
  const wrong = { finish: "tool_calls", toolCalls: [call("a", "no_such_zzz"), call("b")] } as const;
  const { run, stored, requests } = await setup(t, [wrong, wrong, wrong]);
  const result = await run();
  assert.equal(result.exit_reason, "invalid_tool_calls");
  assert.equal(result.failed, true);
  assert.equal(requests.length, 3);
  assert.match(
    (await stored()).join("\n"),
    /tool:Tool 'no_such_zzz' does not exist\. Available tools: echo\ntool:Skipped: another tool call/,
  );
});

test("four empty answers end the turn with an explanation, and nothing is stored for them", async (t) => {
  const { run, stored, requests } = await setup(t, [{}, {}, {}, {}]);
  const result = await run();
  assert.equal(requests.length, 4);
  assert.equal(result.exit_reason, "empty_response_exhausted");
  assert.match(result.final_response, /No reply/);
  assert.deepEqual(await stored(), ["user:go"]);
});

test("a refusal is not repeated", async (t) => {
  const { run, requests } = await setup(t, [{ finish: "content_filter", content: "I cannot." }]);
  const result = await run();
  assert.equal(requests.length, 1);
  assert.equal(result.exit_reason, "content_policy_blocked");
  assert.match(result.final_response, /I cannot\./);
});

test("a spent budget asks for a summary without tools", async (t) => {
  const tools = { finish: "tool_calls", toolCalls: [call("a")] } as const;
  const { run, requests } = await setup(
    t,
    [tools, { finish: "tool_calls", toolCalls: [call("b", "echo", '{"text":"2"}')] }, { content: "The summary." }],
    { maxRounds: 2 },
  );
  const result = await run();
  assert.equal(result.final_response, "The summary.");
  assert.equal(result.exit_reason, "max_iterations_reached");
  assert.equal(result.completed, false);
  assert.deepEqual(requests[2]?.tools, []);
});

for (const verifyMutations of [true, false]) {
  test(`files that did not change are ${verifyMutations ? "" : "not "}named under the answer, and never stored`, async (t) => {
    proves(t, "editing.mutation-footer");
    const edit = defineTool({
      ...echo,
      name: "edit",
      run: async () => ({ text: '{"error": "no match"}', status: "error", filesNotChanged: ["/w/a.txt"] }),
    });
    const replies = [
      { finish: "tool_calls", toolCalls: [call("a", "edit", '{"text":"/w/a.txt"}')] },
      { content: "All done." },
    ] as const;
    const tools = [{ ...entry, name: "edit", load: async () => edit }];
    const { run, stored } = await setup(t, replies, { tools, verifyMutations });
    const { final_response } = await run();
    assert.equal(final_response.startsWith("All done."), true);
    assert.equal(final_response.includes("NOT modified"), verifyMutations);
    assert.equal(final_response.includes("`/w/a.txt` — [edit] no match"), verifyMutations);
    assert.equal((await stored()).at(-1), "assistant:All done.");
  });
}

test("an interrupt keeps the text so far and says that it was interrupted", async (t) => {
  const { run, stored } = await setup(t, ["hang"]);
  const result = await run();
  assert.equal(result.interrupted, true);
  assert.deepEqual(await stored(), ["user:go", "assistant:half"]);
});

test("a provider that fails ends the turn with its class, and the question stays", async (t) => {
  const { run, stored } = await setup(t, [{ failed: "Request failed after 3 retries: HTTP 500" }]);
  const result = await run();
  assert.equal(result.failed, true);
  assert.equal(result.error?.class, "server_error");
  assert.deepEqual(await stored(), ["user:go"]);
});

const tick = () => new Promise((resolve) => setImmediate(resolve));
const FULL = () => Promise.reject(new AppError("E_STORE_FULL", "the disk is full"));

test("a start of a call that cannot be stored ends the turn with that error, and the process goes on", async (t) => {
  const slow = {
    ...entry,
    load: async () => ({
      ...echo,
      run: () =>
        tick()
          .then(tick)
          .then(() => ({ text: "hi" })),
    }),
  };
  const { run } = await setup(t, [{ toolCalls: [call("a")] }], { tools: [slow] }, { event: FULL });
  await assert.rejects(run(), { code: "E_STORE_FULL" });
});

/** The store takes a while; then the message is there, or the disk was full. */
async function toldByRun(t: TestContext, end: () => Promise<void>) {
  const told: string[] = [];
  const own = { ...echo, run: async () => ({ text: told.push("ran") > 0 ? "hi" : "" }) };
  const parts = await setup(
    t,
    [{ toolCalls: [call("a"), call("b", "unknown")] }],
    { tools: [{ ...entry, load: async () => own }] },
    {
      async append(this: Transcript, turn, messages, along) {
        for (let turns = 0; turns < 5; turns++) await tick();
        if (messages[0]?.role === "assistant") await end();
        told.push(`stored ${messages.map(({ role, toolCallId = "" }) => role + toolCallId).join()}`);
        return Object.getPrototypeOf(this).append.call(this, turn, messages, along);
      },
    },
  );
  return { ...parts, told };
}

test("nothing is done or stored for a call before the message that asks for it is durable", async (t) => {
  const { run, told } = await toldByRun(t, async () => undefined);
  await run();
  assert.deepEqual(told.slice(0, 3), ["stored assistant", "stored toola", "stored toolb"]);
  const alone = await toldByRun(t, FULL);
  await assert.rejects(alone.run(), { code: "E_STORE_FULL" });
  assert.deepEqual(alone.told, []);
});

test("a draft that cannot be stored ends the turn with that error, and the process goes on", async (t) => {
  const clock = manualClock();
  const ask = async function* (): AsyncGenerator<ModelEvent> {
    yield { type: "text", text: "half" };
    clock.advance(10_000);
    await tick();
    await tick();
    yield { type: "failed", partial: "half", failure: { class: "server_error", message: "cut", retry: false } };
  };
  const { run } = await setup(t, [], { clock, ask }, { draft: FULL });
  await assert.rejects(run(), { code: "E_STORE_FULL" });
});
