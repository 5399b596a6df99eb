import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import type { Store } from "../../../storage/store.js";
import { nextTurn } from "../../base/async/next-turn.js";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import { silentLog } from "../../base/log/log.js";
import type { NewSession, SessionRecord, TurnResult } from "../../contracts/chat/chat.js";
import type { FrontEnd } from "../../contracts/chat/front-end.js";
import type { Conversation, TurnRequest } from "../conversation/conversation.js";
import { createSessions } from "../sessions/sessions.js";
import { openTranscript } from "../transcript/transcript.js";
import { createOpenSessions } from "./open-sessions.js";
import type { SessionActorDeps } from "./session-actor.js";
import { TurnRunner } from "./turn-runner.js";

const optionsOf = (model: string): NewSession => ({ source: "workspace", cwd: "/", env: {}, model });
const SESSION = { id: "s", lineage_root: "s" } as SessionRecord; // a runner looks at no more of it

/** A door that a test opens. */
function gate() {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** A runner whose conversations say which model they were opened with, and end and close when the test says so. */
function setup({ fails = false } = {}) {
  const opened: string[] = [];
  const ran: string[] = [];
  const given: string[] = [];
  const hold: { turn?: Promise<void>; close?: Promise<void> } = {};
  const converse = (_store: Store, session: SessionRecord, { model = "" }: NewSession): Conversation => {
    if (fails) throw new Error("no conversation today");
    opened.push(model);
    const run = async (request: TurnRequest): Promise<TurnResult> => {
      ran.push(model);
      await hold.turn;
      await request.steer?.close();
      return { turn_id: "s:1" } as TurnResult; // no one looks at the rest
    };
    const keepable = async (text: string) => `${model}: ${text}`;
    return { session, run, keepable, close: () => hold.close ?? Promise.resolve() } as unknown as Conversation; // a runner uses no more of it
  };
  const runner = new TurnRunner(
    {
      converse,
      clock: manualClock(),
      log: silentLog,
      store: {} as Store, // handed on to `converse` alone
      tell: () => undefined,
      ended: () => undefined,
      giveBack: async (text) => void given.push(text),
    },
    SESSION,
    optionsOf("own"),
  );
  return { runner, opened, ran, given, hold };
}

test("options that come while a turn runs hold from the next turn on", async () => {
  const { runner, ran, hold } = setup();
  const door = gate();
  hold.turn = door.passed;
  const first = runner.start({ text: "one" });
  await runner.open(SESSION, optionsOf("newer"));
  door.open();
  await first;
  await runner.start({ text: "two" });
  assert.deepEqual(ran, ["own", "newer"]);
});

test("what one turn alone may do does not stay when someone looks at the conversation while its tools close", async () => {
  const { runner, ran, hold } = setup();
  const door = gate();
  const closing = gate();
  hold.turn = door.passed;
  const visit = runner.start({ text: "one", options: optionsOf("guest") });
  hold.close = closing.passed;
  door.open();
  await new Promise((resolve) => setImmediate(resolve)); // the turn has ended, its tools are being closed
  assert.equal(await runner.keepable("x"), "own: x");
  closing.open();
  await visit;
  await runner.start({ text: "two" });
  assert.deepEqual(ran, ["guest", "own"]);
});

test("a turn with options of its own has them although someone looks at the conversation while the others are let go", async () => {
  const { runner, ran, hold } = setup();
  await runner.start({ text: "zero" });
  const closing = gate();
  hold.close = closing.passed;
  const visit = runner.start({ text: "one", options: optionsOf("guest") });
  await runner.keepable("x");
  closing.open();
  await visit;
  assert.deepEqual(ran, ["own", "guest"]);
});

test("work beside the turns that cannot begin leaves the conversation free", async () => {
  const { runner } = setup({ fails: true });
  await assert.rejects(
    runner.aside(async () => undefined),
    /no conversation today/,
  );
  assert.equal(runner.busy, false);
});

/** A real store in which recovering fails so many times, and a conversation whose first turn breaks off. */
async function breaking(t: TestContext, failures: number) {
  const clock = manualClock();
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  const real = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => real.close());
  const session = await createSessions({ store: real, clock, ids: randomIds }).create({
    source: "workspace",
    cwd: "/",
    profile: "default",
    model: "m",
    provider: "p",
  });
  let left = failures;
  const write: Store["write"] = (name, body) =>
    name === "chat.recover" && left-- > 0
      ? Promise.reject(new AppError("E_STORE_FULL", "the disk is full"))
      : real.write(name, body);
  const store = { read: real.read.bind(real), write } as Store; // closing a turn uses no more of it
  let broken = false;
  const converse = (_store: Store, record: SessionRecord): Conversation => {
    const transcript = openTranscript({ store: real, clock }, record);
    const run = async (request: TurnRequest): Promise<TurnResult> => {
      const { turn } = await transcript.beginTurn({ role: "user", content: request.text });
      request.onTurn?.(turn);
      if (!broken) {
        broken = true;
        await transcript.append(turn, [
          { role: "assistant", content: "", toolCalls: [{ id: "c", name: "echo", arguments: "{}" }] },
        ]);
        throw new AppError("E_STORE_FULL", "the disk is full");
      }
      const result = { turn_id: turn, exit_reason: "text_response" } as TurnResult; // nothing else of it is looked at
      await transcript.endTurn(turn, result);
      return result;
    };
    return { session: record, run, close: async () => undefined } as unknown as Conversation; // a runner uses no more of it
  };
  const deps = {
    converse,
    clock,
    log: silentLog,
    store,
    tell: () => undefined,
    ended: () => undefined,
    giveBack: async () => undefined,
  };
  const runner = new TurnRunner(deps, session, optionsOf("m"));
  const stored = async () =>
    (await openTranscript({ store: real, clock }, session).messages()).map(({ role, status }) => status ?? role);
  return { runner, stored };
}

for (const failures of [0, 1])
  test(`a turn that a full disk broke off is closed, and the conversation goes on (${failures} failures more)`, async (t) => {
    const { runner, stored } = await breaking(t, failures);
    await assert.rejects(runner.start({ text: "one" }), { code: "E_STORE_FULL" });
    while (runner.busy) await new Promise((resolve) => setImmediate(resolve));
    await runner.start({ text: "two" });
    assert.deepEqual(await stored(), ["user", "assistant", "interrupted", "user"]);
  });

test("work that is no turn takes no words", async () => {
  const { runner } = setup();
  const door = gate();
  const work = runner.aside(() => door.passed);
  assert.deepEqual([runner.busy, runner.steer], [true, undefined]);
  door.open();
  await work;
});

const ONE: FrontEnd = {};
const OTHER: FrontEnd = {};

/** Open conversations whose turns wait at `door`, and the names of those whose tools were let go. */
function opened(door: ReturnType<typeof gate>, judged?: Promise<undefined>) {
  const interrupted = judged === undefined; // nothing is judged behind an interrupt
  const run = async (): Promise<TurnResult> => door.passed.then(() => ({ turn_id: "t", interrupted }) as TurnResult); // nothing else is looked at
  const empty = async () => ({ items: [], paused: false });
  const store = { read: empty, write: empty } as unknown as Store; // the queue is all that is read
  const closed: string[] = [];
  const conversation = (session: SessionRecord) =>
    ({
      session,
      run,
      keepable: async (text: string) => text,
      close: async () => void closed.push(session.id),
    }) as unknown as Conversation; // as above
  const clock = manualClock();
  const deps = {
    clock,
    log: silentLog,
    tell: () => undefined,
    busyMode: () => "queue" as const,
    converse: (_store: Store, session: SessionRecord) => conversation(session),
    goals: () => ({ pause: async () => false, judge: () => judged }),
  } as unknown as SessionActorDeps; // nothing is drawn here
  const open = createOpenSessions(deps);
  const named = (id: string) => ({ id, lineage_root: id }) as SessionRecord; // as above
  const enter = (session: SessionRecord, frontEnd: FrontEnd = ONE) =>
    open.open(store, session, { ...optionsOf("m"), source: "cli" }, frontEnd);
  const begin = async (actor: Awaited<ReturnType<typeof enter>>) => {
    const turn = actor.submit({ session: actor.session.id, text: "go" });
    await actor.decide(async () => undefined); // behind the decision to begin
    return { turn };
  };
  return { open, named, enter, begin, closed, clock };
}

test("a conversation that is opened while all others are at work is not let go at once", async () => {
  const door = gate();
  const { open, named, enter, begin } = opened(door);
  const turns: Promise<unknown>[] = [];
  for (let n = 0; n < LIMITS.openConversations; n++) turns.push((await begin(await enter(named(`s${n}`)))).turn);
  const actor = await enter(named("last"));
  assert.equal(open.actor(named("last")), actor);
  door.open();
  await Promise.all(turns);
});

test("the tools of a conversation are let go when its last front end leaves, not before", async () => {
  const door = gate();
  door.open();
  const { open, named, enter, begin, closed } = opened(door);
  const session = named("s");
  await (await begin(await enter(session))).turn;
  assert.equal(open.enter(session, OTHER), open.actor(session), "a second front end shows it");
  await open.leave(session.id, ONE);
  assert.deepEqual([open.actor(session) === undefined, closed], [false, []]);
  await open.leave(session.id, OTHER);
  assert.deepEqual([open.actor(session), closed], [undefined, ["s"]]);
});

test("a conversation that works when its front end leaves keeps its tools until the turn has ended", async () => {
  const door = gate();
  const { open, named, enter, begin, closed } = opened(door);
  const session = named("s");
  const { turn } = await begin(await enter(session));
  await open.leave(session.id, ONE);
  assert.deepEqual([open.actor(session) === undefined, closed], [false, []]);
  door.open();
  await turn;
  while (closed.length === 0) await nextTurn();
  assert.equal(open.actor(session), undefined);
});

test("a front end that leaves while the goal of its conversation is judged waits for nothing, and the tools are let go behind that", async () => {
  const door = gate();
  const judge = gate();
  door.open();
  const { open, named, enter, begin, closed } = opened(
    door,
    judge.passed.then(() => undefined),
  );
  const session = named("s");
  const actor = await enter(session);
  await (await begin(actor)).turn;
  while (!actor.goal.judging) await nextTurn();
  await open.leave(session.id, ONE);
  assert.deepEqual([open.actor(session) === undefined, closed], [false, []]);
  judge.open();
  while (closed.length === 0) await nextTurn();
  assert.equal(open.actor(session), undefined);
});

test("a front end that opens a conversation twice leaves it once", async () => {
  const { open, named, enter } = opened(gate());
  const session = named("s");
  await enter(session);
  await enter(session);
  open.enter(session, ONE);
  await open.leave(session.id, ONE);
  assert.equal(open.actor(session), undefined);
});

test("a front end whose connection closes without a word has left all its conversations after the grace period", async () => {
  const { open, named, enter, clock } = opened(gate());
  const connection = new AbortController();
  const isOpen = () => ["a", "b"].map((name) => open.actor(named(name)) !== undefined);
  await enter(named("a"), connection);
  await enter(named("b"), connection);
  await enter(named("b"), OTHER);
  connection.abort();
  clock.advance(LIMITS.frontEndGraceMs - 1);
  await nextTurn();
  assert.deepEqual(isOpen(), [true, true]);
  clock.advance(1);
  await nextTurn();
  assert.deepEqual(isOpen(), [false, true]);
});

test("a front end that comes back on another connection within the grace period finds its conversation as it was", async () => {
  const { open, named, enter, clock } = opened(gate());
  const session = named("s");
  const connection = new AbortController();
  const actor = await enter(session, connection);
  connection.abort();
  await enter(session, OTHER);
  clock.advance(LIMITS.frontEndGraceMs);
  await nextTurn();
  assert.equal(open.actor(session), actor);
});

test("a conversation that is opened for a connection which has closed meanwhile is left again", async () => {
  const { open, named, enter, clock } = opened(gate());
  const session = named("s");
  await enter(session, { signal: AbortSignal.abort() });
  clock.advance(LIMITS.frontEndGraceMs);
  await nextTurn();
  assert.equal(open.actor(session), undefined);
});
