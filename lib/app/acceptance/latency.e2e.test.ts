import assert from "node:assert/strict";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import type { Client } from "../../backplane/client.js";
import type { WireEvent } from "../../contracts/wire/wire.js";

const TASKS = process.env["AGENT_TEST_SHORT"] ? 1_000 : 10_000;
const BOARDS = ["default", "b1", "b2", "b3", "b4"];
const IN_FLIGHT = 64;
const ROUNDS = 3;
test(`with ${TASKS} tasks on ${BOARDS.length} boards, most of them left to others, a ready task is claimed without waiting for a tick`, {
  timeout: 500_000,
}, async (t) => {
  const world = await kanbanWorld(t, { kanban: { max_in_progress: "unlimited" } });
  for (const slug of BOARDS.slice(1)) await world.K("boards", "create", slug);
  await world.daemon("--interval", "3600");
  const client = world.client();
  const empty = await waits(client, t.signal);
  await fill(client);
  const full = await waits(client, t.signal);
  t.diagnostic(`ready to claimed, ms: ${empty.join(" ")} with few tasks, ${full.join(" ")} with many`);
  assert.deepEqual([empty.length, full.length], [ROUNDS * BOARDS.length, ROUNDS * BOARDS.length]);
});

async function waits(client: Client, signal: AbortSignal): Promise<number[]> {
  const found: number[] = [];
  for (let round = 0; round < ROUNDS; round++)
    for (const board of BOARDS) found.push(await claimed(client, board, signal));
  return found.toSorted((a, b) => a - b);
}

/** Half of the tasks are on the first board; all come before what is made later in the order of a pass. */
async function fill(client: Client): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let n = next++; n < TASKS; n = next++) {
      const board = n % 2 === 0 ? "default" : BOARDS[1 + (n % 4)];
      await client.call("kanban.create", {
        title: `task ${n}`,
        external: true,
        priority: 9,
        ...(board === undefined ? {} : { board }),
      });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

/** Milliseconds between the two events of a new task. */
async function claimed(client: Client, board: string, signal: AbortSignal): Promise<number> {
  const { id } = await client.call<{ id: string }>("kanban.create", { title: "now", board });
  const seen = new Map<string, WireEvent>();
  const control = new AbortController();
  try {
    const own = AbortSignal.any([signal, control.signal]);
    for await (const item of client.subscribe(`board:${board}`, {
      after: await before(client, board, id),
      signal: own,
    })) {
      for (const event of item.kind === "events" ? item.events : [])
        if (event.task_id === id) seen.set(event.event, event);
      const ready = seen.get("created");
      const taken = seen.get("claimed");
      if (ready && taken) return Date.parse(taken.at) - Date.parse(ready.at);
    }
  } finally {
    control.abort();
  }
  throw new Error("the events ended");
}

/** A cursor that lies before everything about the task. */
async function before(client: Client, board: string, id: string): Promise<number> {
  const { events } = await client.call<{ events: { id: number }[] }>("kanban.show", { id, board });
  return Math.min(...events.map((event) => event.id)) - 1;
}
