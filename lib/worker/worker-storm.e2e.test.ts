import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../fixtures/e2e/kanban.js";
import { allCleared, allCollected, type Deed, everythingInOrder, unruly } from "../../fixtures/e2e/unruly.js";
import { type Random, seeded } from "../../fixtures/ports/random.js";
import { proves } from "../../fixtures/requirements.js";
import type { Client } from "../backplane/client.js";

const KILLS = Number(process.env["AGENT_KILLS"] ?? 6);
const SEED = Number(process.env["AGENT_SEED"] ?? 1);
const TASKS = 8;

/** After each of these another attempt is made. */
const BAD: readonly Deed[] = [
  "exit1",
  "exit75",
  "exit76",
  "crash",
  "hang",
  "deaf",
  "stopped",
  "family",
  "escapee",
  "orphan",
];
const LAST: readonly Deed[] = ["ok", "slow", "slow", "twice", "thief", "silent"];
const SWIFT = {
  retry_backoff_seconds: 0,
  rate_limit_cooldown_seconds: 0,
  kill_grace_seconds: 1,
  dispatch_interval_seconds: 1,
  max_in_progress: 3,
};

test(`an owner killed ${KILLS} times while unruly workers work: every task comes to its end, none is worked twice at once`, {
  timeout: 500_000,
}, async (t) => {
  proves(t, "R2", "R3");
  t.diagnostic(`seed ${SEED}`);
  const random = seeded(SEED);
  const world = await kanbanWorld(t, { mode: "script", kanban: SWIFT });
  const { plan } = unruly(world);
  const ids: string[] = [];
  const expected = new Map<string, string>();
  await world.K("boards", "pause");
  for (let n = 0; n < TASKS; n++) {
    const deeds = deedsOf(random);
    const id = await world.make(deeds.join(" "), ...capOf(deeds), "--max-retries", "20");
    plan(id, deeds);
    ids.push(id);
    expected.set(id, deeds.at(-1) === "silent" ? "blocked" : "done");
  }
  await world.K("boards", "resume");
  const seen = counting(world.client(), t.signal);
  for (let kill = 0; kill < KILLS; kill++) {
    const owner = await world.D();
    await Promise.race([seen.more(1 + random.below(8)), seen.ended(ids)]);
    await owner.end("SIGKILL");
  }
  const owner = await world.D();
  await seen.ended(ids);
  const tasks =
    await world.J<{ id: string; title: string; status: string; last_failure_error: string | null }[]>("list");
  const wrong = tasks.filter(({ id, status }) => status !== expected.get(id));
  assert.deepEqual(
    wrong.map(({ id, title, status, last_failure_error }) => `${id} (${title}) ${status}: ${last_failure_error}`),
    [],
  );
  await allCleared(world);
  await allCollected(owner.pid);
  assert.equal((await owner.end("SIGINT")).code, 0);
  await everythingInOrder(world, ids);
});

/** Who does nothing is ended by the clock, which must leave the last attempt its time on a busy machine. */
const capOf = (deeds: readonly Deed[]) => (deeds.some((deed) => IDLE.has(deed)) ? ["--max-runtime", "10s"] : []);
const IDLE: ReadonlySet<Deed> = new Set(["hang", "deaf", "stopped"]);

function deedsOf(random: Random): Deed[] {
  const bad = Array.from({ length: random.below(3) }, () => random.pick(BAD));
  return [...bad, random.pick(LAST)];
}

/** Follows the events of the board over all its owners. */
function counting(client: Client, signal: AbortSignal) {
  const over = new Set<string>();
  const listeners = new Set<() => void>();
  let count = 0;
  const follow = async () => {
    for await (const item of client.subscribe("board:default", { after: 0, signal })) {
      for (const { event, task_id } of item.kind === "events" ? item.events : []) {
        count += 1;
        if (task_id !== undefined && ["completed", "protocol_violation", "gave_up"].includes(event)) over.add(task_id);
        for (const listener of listeners) listener();
      }
    }
  };
  follow().catch(() => undefined); // it ends with its client
  const until = (reached: () => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!reached()) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
    });
  return {
    more: (events: number) => {
      const from = count;
      return until(() => count >= from + events);
    },
    ended: (ids: readonly string[]) => until(() => ids.every((id) => over.has(id))),
  };
}
