import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Reply } from "../../../fixtures/servers/model/script.js";
import { type ActorOwner, actorOwner, type Watched } from "../../../fixtures/worlds/actor-owner.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import type { Ms, SessionId } from "../../base/units.js";
import type { ChatEvent, NewSession } from "../../contracts/chat/chat.js";

const terminal = (command: string): Reply => ({ tool_calls: [{ name: "terminal", arguments: { command } }] });
const started = ({ event }: ChatEvent): boolean => event === "tool.started";
const ended = ({ event }: ChatEvent): boolean => event === "turn.ended";
const LONG: Ms = 3_600_000;

interface Case {
  readonly phase: string;
  readonly replies: readonly Reply[];
  readonly options?: Partial<NewSession>;
  /** Resolves when the turn is in this phase. */
  readonly reached: (owner: ActorOwner, watched: Watched, id: SessionId) => Promise<unknown>;
  readonly reason: string;
}

/** Every phase of a turn in which someone may press Ctrl+C. */
const PHASES: readonly Case[] = [
  {
    phase: "waiting for the model",
    replies: [{ hold: "never" }],
    reached: (owner) => owner.model.arrived(1),
    reason: "interrupted_during_api_call",
  },
  {
    phase: "streaming",
    replies: [{ text: "word ".repeat(200), endless: true, gap_ms: 1 }],
    reached: (_owner, watched) => watched.until(({ event }) => event === "text.delta"),
    reason: "interrupted_during_api_call",
  },
  {
    phase: "a tool running",
    replies: [terminal("sleep 100")],
    reached: (_owner, watched) => watched.until(started),
    reason: "interrupted_by_user",
  },
  {
    phase: "a tool that floods its output",
    replies: [terminal("yes flood")],
    reached: (_owner, watched) => watched.until(({ event }) => event === "tool.progress"),
    reason: "interrupted_by_user",
  },
  {
    phase: "a wait before a retry",
    replies: [{ status: 500, body: { error: { message: "overloaded" } } }],
    reached: (_owner, watched) => watched.until(({ event }) => event === "retry"),
    reason: "interrupted_during_api_call",
  },
  {
    phase: "an approval open",
    replies: [terminal("rm -rf build")],
    options: { yolo: false },
    reached: (_owner, watched) => watched.until(({ event }) => event === "approval.requested"),
    reason: "interrupted_by_user",
  },
];

async function begin(t: TestContext, replies: readonly Reply[], options: Partial<NewSession> = {}) {
  const script = [...replies, { text: "the next prompt works" }];
  const owner = await actorOwner(t, { model: { script: { replies: script } } });
  const { id } = await owner.session(options);
  const attached = new AbortController();
  t.after(() => attached.abort());
  await owner.chat.attach(id, attached.signal);
  const watched = await owner.watch(id);
  await owner.call("turn.submit", { session_id: id, text: "go" });
  return { owner, id, watched };
}

const interrupting = ({ event, data }: ChatEvent): boolean =>
  event === "turn.phase" && data["phase"] === "interrupting";

/** The interrupt as a front end sees it: its answer, and the phase on the screen. */
async function interrupt(owner: ActorOwner, watched: Watched, id: SessionId): Promise<void> {
  const shown = watched.until(interrupting);
  assert.deepEqual(await owner.call("turn.interrupt", { session_id: id }), { interrupted: true });
  await shown;
}

for (const { phase, replies, options, reached, reason } of PHASES) {
  test(`C60: an interrupt is acknowledged before what runs has ended: ${phase}`, async (t) => {
    const { owner, id, watched } = await begin(t, replies, options);
    await reached(owner, watched, id);
    await interrupt(owner, watched, id);
    const { data } = await watched.until(ended);
    assert.ok(watched.seen.findIndex(interrupting) < watched.seen.findIndex(ended));
    assert.deepEqual([data["interrupted"], data["exit_reason"]], [true, reason]);
    watched.forget();
    await owner.call("turn.submit", { session_id: id, text: "next" });
    assert.equal((await watched.until(ended)).data["exit_reason"], "text_response");
  });
}

test("C60: an interrupted command has exit code 130, and its children are gone when it has ended", async (t) => {
  const { owner, id, watched } = await begin(t, [terminal("sh -c 'sleep 100 & echo half $!; wait'")]);
  const child = await printed(watched);
  await interrupt(owner, watched, id);
  await watched.until(ended);
  assert.equal(systemSpawner.identify(child), undefined);
  const result = (await owner.chat.messages(id)).find(({ role }) => role === "tool");
  assert.equal(result?.status, "interrupted");
  const { exit_code, output } = JSON.parse(result?.content ?? "{}");
  assert.deepEqual([exit_code, output.includes("half")], [130, true]);
  const line = watched.seen.find(({ data }) => data["code"] === "interrupted")?.data["text"];
  assert.match(String(line), /^Interrupted after [\d.]+ s: no text to keep; cancelled: sh -c .* \(killed\)\.$/);
});

test("C60: the text that had streamed is stored as interrupted", async (t) => {
  const { owner, id, watched } = await begin(t, [{ text: "word ".repeat(100), endless: true, gap_ms: 1 }]);
  await watched.until(({ event }) => event === "text.delta");
  await interrupt(owner, watched, id);
  await watched.until(ended);
  const kept = (await owner.chat.messages(id)).at(-1);
  assert.deepEqual([kept?.role, kept?.finishReason], ["assistant", "interrupted"]);
  assert.match(kept?.content ?? "", /^word word/);
  const line = watched.seen.find(({ data }) => data["code"] === "interrupted")?.data["text"];
  assert.match(String(line), /^Interrupted after \d+\.\d s: kept [\d,]+ chars\.$/);
});

test("calls that run are cancelled, and those that wait are not started", async (t) => {
  const calls = ["sleep 100", "touch never"].map((command) => ({ name: "terminal", arguments: { command } }));
  const { owner, id, watched } = await begin(t, [{ tool_calls: calls }]);
  await watched.until(started);
  await interrupt(owner, watched, id);
  await watched.until(ended);
  const results = (await owner.chat.messages(id)).filter(({ role }) => role === "tool");
  assert.deepEqual(
    results.map(({ status }) => status),
    ["interrupted", "skipped"],
  );
  assert.equal(results[1]?.content, "[Tool execution skipped: terminal was not started. The user interrupted.]");
  assert.equal(existsSync(join(owner.work, "never")), false);
});

test("a second interrupt with force kills at once what ignores SIGTERM", async (t) => {
  const { endGroup } = systemSpawner;
  // Without force what runs would be given longer than any test waits.
  Object.assign(systemSpawner, {
    endGroup: (group: number, _grace: Ms, abort?: AbortSignal) => endGroup(group, LONG, abort),
  });
  t.after(() => Object.assign(systemSpawner, { endGroup }));
  const { owner, id, watched } = await begin(t, [terminal("trap '' TERM; echo $$; while :; do sleep 0.05; done")]);
  const pid = await printed(watched);
  await interrupt(owner, watched, id);
  await owner.call("turn.interrupt", { session_id: id, force: true });
  await watched.until(ended);
  while (systemSpawner.identify(pid) !== undefined) await new Promise((resolve) => setImmediate(resolve)); // it was killed; the kernel takes it away
});

/** The number that the running command has printed. */
async function printed(watched: Watched): Promise<number> {
  const { data } = await watched.until(({ event }) => event === "tool.progress");
  return Number(/\d+/.exec(String(data["text"]))?.[0]);
}
