import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { sessionStore } from "../../../fixtures/sim/session-store.js";
import type { TurnId } from "../../base/units.js";
import type { NewMessage, TurnResult } from "../../contracts/chat/chat.js";
import { sessionEvents } from "./transcript-events.js";
import { type TranscriptMethod, transcriptMethods } from "./transcript-methods.js";
import { remoteTranscript } from "./transcript-remote.js";

/** A worker whose owner answers, answers and forgets, or dies before the answer so that everything is asked for twice. */
async function worker(t: TestContext, twice: ReadonlySet<TranscriptMethod>) {
  const { clock, store, sessions } = sessionStore(t);
  const session = await sessions.create({ source: "worker", cwd: "/", profile: "default", model: "m", provider: "p" });
  const methods = transcriptMethods({ store, clock, run: 3 });
  const call = async (method: TranscriptMethod, params: unknown) => {
    if (!twice.has(method)) return methods[method](params);
    await methods[method](params); // its answer is lost
    return methods[method](params, true);
  };
  return { store, sessions, session, transcript: remoteTranscript(call, session) };
}

const usage = { input: 10, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const ending = (turn: TurnId) =>
  ({ exit_reason: "text_response", final_response: "done", turn_id: turn }) as unknown as TurnResult; // only the reason is read
const result = (id: string): NewMessage => ({
  role: "tool",
  content: `of ${id}`,
  toolCallId: id,
  toolName: "terminal",
  status: "ok",
});

/** Two turns with everything that a worker stores. */
async function work({ transcript }: Awaited<ReturnType<typeof worker>>): Promise<void> {
  for (const text of ["go", "go"]) {
    const { turn } = await transcript.beginTurn({ role: "user", content: text });
    const calls = ["a", "b"].map((id) => ({ id, name: "terminal", arguments: "{}" }));
    await transcript.append(turn, [{ role: "assistant", content: "same", toolCalls: calls }], {
      usage: { of: usage, promptTokens: 10 },
    });
    await transcript.event(turn, "tool.started", { call_id: "a" });
    await transcript.append(turn, [result("b")], { event: { kind: "tool.ended", data: { call_id: "b" } } });
    await transcript.append(turn, [result("a")]);
    await transcript.addUsage(turn, usage, 12);
    await transcript.append(turn, [{ role: "assistant", content: "same" }], { usage: { of: usage, promptTokens: 14 } });
    await transcript.endTurn(turn, ending(turn));
  }
}

async function stored(t: TestContext, twice: ReadonlySet<TranscriptMethod>) {
  const one = await worker(t, twice);
  await work(one);
  const session = await one.sessions.get(one.session.id);
  const messages = await one.transcript.messages();
  return {
    messages: messages.map(({ role, content, turn_id }) => `${turn_id.split(":")[1]} ${role} ${content}`),
    events: (await sessionEvents(one.store, one.session.id, 0)).map(({ event }) => event),
    counters: [session?.api_call_count, session?.input_tokens, session?.message_count, session?.last_prompt_tokens],
  };
}

const METHODS: readonly TranscriptMethod[] = [
  "transcript.begin",
  "transcript.append",
  "transcript.event",
  "transcript.usage",
  "transcript.end",
];

for (const method of METHODS) {
  test(`${method} asked for again because its answer was lost leaves the conversation as if it had been asked for once`, async (t) => {
    assert.deepEqual(await stored(t, new Set([method])), await stored(t, new Set()));
  });
}

test("what is asked for again but was never done is done", async (t) => {
  const { transcript } = await worker(t, new Set());
  const lost = await worker(t, new Set());
  const { turn } = await lost.transcript.beginTurn({ role: "user", content: "go" });
  const methods = transcriptMethods({ store: lost.store, clock: manualClock(), run: 3 });
  const at = { session: lost.session.id, turn };
  await methods["transcript.append"]({ ...at, messages: [{ role: "assistant", content: "one" }], answers: 0 }, true);
  await methods["transcript.append"]({ ...at, messages: [{ role: "assistant", content: "one" }], answers: 1 }, true);
  await methods["transcript.usage"]({ ...at, usage, prompt_tokens: 10, calls: 0 }, true);
  await methods["transcript.end"]({ ...at, result: ending(turn) }, true);
  const messages = await lost.transcript.messages();
  assert.deepEqual(
    messages.map((message) => message.role),
    ["user", "assistant", "assistant"],
  );
  assert.equal((await lost.sessions.get(lost.session.id))?.api_call_count, 1);
  assert.deepEqual(await transcript.messages(), []);
});
