import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { manualClock } from "../../../fixtures/ports/clock.js";
import { seeded } from "../../../fixtures/ports/random.js";
import { openFileStore } from "../../../storage/file/open.js";
import { sessionMigrations } from "../../../storage/schema/sessions.js";
import { AppError } from "../../base/errors.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import type { NewSession, TurnResult } from "../../contracts/chat/chat.js";
import { BUSY_MODES } from "../../contracts/chat/queue.js";
import type { Conversation, TurnRequest } from "../conversation/conversation.js";
import { createGoals } from "../goals/goal-engine.js";
import { createSessions } from "../sessions/sessions.js";
import { withSteer } from "../transcript/steer.js";
import { openTranscript } from "../transcript/transcript.js";
import { SessionActor, type SessionActorDeps } from "./session-actor.js";

const RUNS = process.env["AGENT_TEST_SHORT"] ? 25 : 120;
const STEPS = 40;
const OPTIONS: NewSession = { source: "workspace", cwd: "/", env: {} };

/** An actor over a real store, with turns that end when the test says so, and everything that a model got to read. */
async function setup(t: TestContext, seed: number) {
  const random = seeded(seed);
  const clock = manualClock();
  const spec = { name: "sessions", path: "", kind: "sessions", migrations: sessionMigrations } as const;
  const store = openFileStore(spec, { host: "inline", memory: true, clock, log: silentLog });
  t.after(() => store.close());
  const session = await createSessions({ store, clock, ids: randomIds }).create({
    source: "workspace",
    cwd: "/",
    profile: "default",
    model: "m",
    provider: "p",
  });
  const read: string[] = [];
  let finish: (() => void) | undefined;
  let due = false; // the next turn ends as soon as it can
  let free = false; // every turn does
  const transcript = openTranscript({ store, clock }, session);
  const run = async (request: TurnRequest, signal: AbortSignal): Promise<TurnResult> => {
    const { turn } = await transcript.beginTurn({ role: "user", content: request.text }, request.request, request.item);
    read.push(request.text);
    request.onTurn?.(turn);
    await new Promise<void>((resolve) => {
      finish = resolve;
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted || due || free) resolve();
    });
    finish = undefined;
    due = false;
    const steer = !signal.aborted && random.chance(0.5) ? request.steer?.take() : undefined;
    if (steer !== undefined) {
      const call = { id: `c${read.length}`, name: "echo", arguments: "{}" };
      await transcript.append(turn, [{ role: "assistant", content: "", toolCalls: [call] }]);
      const told = {
        role: "tool",
        content: withSteer("", steer),
        toolCallId: call.id,
        toolName: "echo",
        status: "ok",
      } as const;
      await transcript.append(turn, [told], { steer });
      read.push(steer);
    }
    await request.steer?.close();
    const result = {
      turn_id: turn,
      interrupted: signal.aborted,
      failed: random.chance(0.1),
      exit_reason: "text_response",
    };
    await transcript.endTurn(turn, result as TurnResult); // nothing else of it is looked at
    return result as TurnResult; // the same
  };
  const conversation = {
    session,
    keepable: async (text: string) => text,
    run,
    close: async () => undefined,
  } as unknown as Conversation; // an actor uses no more of it
  const deps: SessionActorDeps = {
    clock,
    ids: randomIds,
    log: silentLog,
    tell: () => undefined,
    converse: () => conversation,
    busyMode: () => random.pick(BUSY_MODES),
    goals: () =>
      createGoals({ transcript, clock, ask: async () => ({ ok: false, why: "nobody" }), diffStat: async () => "" }),
  };
  const end = () => {
    due = finish === undefined;
    finish?.();
  };
  return {
    random,
    read,
    begin: () => new SessionActor(deps, store, session, OPTIONS),
    finish: end,
    drain: () => {
      free = true;
      end();
    },
    session,
  };
}

type World = Awaited<ReturnType<typeof setup>>;

/** One thing that someone does; the names of the messages that were confirmed, or taken away. */
async function step(
  { random, finish }: World,
  actor: SessionActor,
  n: number,
): Promise<{ said?: string; removed?: string }> {
  const said = `m${n};`;
  const { items } = await actor.queue();
  const item = items.length === 0 ? "none" : random.pick(items).id;
  const other = items[random.below(items.length + 1)]?.id;
  const text = items.find(({ id }) => id === item)?.text ?? "";
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      return actor.post({ session: actor.session.id, text: said }).then(() => ({ said }));
    case 3:
      return actor.steer(said).then(() => ({ said }));
    case 4:
      if (random.chance(0.5)) return actor.interrupt({ text: said }).then(() => ({ said }));
      return actor.interrupt().then(() => ({}));
    case 5:
      return actor.edit(item, `${text} edited`).then(() => ({}));
    case 6:
      return actor.move(item, other).then(() => ({}));
    case 7:
      return actor.remove(item).then(() => ({ removed: text }));
    case 8:
      return random.chance(0.5) ? actor.sendNow(item).then(() => ({})) : actor.steerItem(item).then(() => ({}));
    default:
      finish();
      return {};
  }
}

const namesIn = (texts: readonly string[]): string[] => texts.flatMap((text) => text.match(/m\d+;/g) ?? []);

test("whatever is done to a queue, each message that was confirmed is read once or taken away once", async (t) => {
  for (let seed = 1; seed <= RUNS; seed++) {
    const world = await setup(t, seed);
    let actor = world.begin();
    const confirmed: string[] = [];
    const removed: string[] = [];
    for (let n = 0; n < STEPS; n++) {
      // Sometimes several people do something at the same time.
      const at = [n, ...(world.random.chance(0.3) ? [n + STEPS, n + 2 * STEPS] : [])];
      for (const done of await Promise.allSettled(at.map((name) => step(world, actor, name)))) {
        if (done.status === "rejected") {
          const { reason } = done;
          assert.ok(
            reason instanceof AppError && ["E_NOT_FOUND", "E_STATE", "E_BUSY"].includes(reason.code),
            `seed ${seed}: ${String(reason)}`,
          );
        } else if (done.value.said !== undefined) confirmed.push(done.value.said);
        else if (done.value.removed !== undefined) removed.push(done.value.removed);
      }
      if (!world.random.chance(0.03)) continue;
      await actor.stop();
      actor = world.begin();
      await actor.open(world.session, OPTIONS);
    }
    for (let left = 0; (await actor.queue()).items.length > 0 || actor.busy; left++) {
      assert.ok(left < 500, `seed ${seed}: the queue does not come to its end`);
      if (!actor.busy) await actor.sendNow(undefined);
      world.drain();
      await actor.idle();
    }
    await actor.stop();
    const seen = [...namesIn(world.read), ...namesIn(removed)].sort();
    const wanted = [...confirmed].sort();
    assert.deepEqual(
      seen.filter((name) => wanted.includes(name)),
      wanted,
      `seed ${seed}`,
    );
    assert.equal(new Set(seen).size, seen.length, `seed ${seed}: ${seen.join(" ")}`);
  }
});
