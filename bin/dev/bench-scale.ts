import type { Client } from "../../lib/backplane/client.js";
import { type BenchWorld, bringOwner, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { interleaved, type Row } from "./measure.js";
import { memoryOf } from "./processes.js";

const SIZES = [100, 10_000, 100_000] as const;
const IN_FLIGHT = 64;
const ROUNDS = 41;
const PAGE = 100;
const VERBS = ["list", "show", "create", "claim"] as const;

/** What one call costs on boards of different size, and what the largest of them costs the owner in memory. */
export async function benchScale(): Promise<Row[]> {
  const world = await openWorld("worker");
  try {
    await bringOwner(world);
    const client = await clientOf(world);
    const memory: number[] = [];
    const cases: Record<string, () => Promise<number>> = {};
    for (const size of SIZES) {
      const board = await fill(client, size);
      memory.push(memoryOf(world.owner?.pid ?? 0, "peak") ?? Number.NaN);
      for (const verb of VERBS) cases[`${verb} ${size}`] = callOf(client, board, verb);
    }
    const times = await interleaved(ROUNDS, cases);
    client.close();
    return [...VERBS.flatMap((verb) => rowsOf(verb, times)), ...memoryRows(memory), ...(await restart(world))];
  } finally {
    await closeWorld(world);
  }
}

/** A board as use leaves it: most tasks done with a run, one in ten waits for another. Nothing of it is started: its assignee is outside. */
export async function fill(client: Client, size: number): Promise<string> {
  const board = `s${size}`;
  await client.call("kanban.boards.create", { slug: board });
  const ids: string[] = [];
  const call = (method: string, params: Readonly<Record<string, unknown>>) =>
    client.call<{ id: string }>(method, { ...params, board });
  await inFlight(size, async (at) => {
    const parent = at % 10 === 9 ? ids[at - 9] : undefined;
    const made = await call("kanban.create", {
      title: `task ${at}`,
      body: "what is to be done ".repeat(10),
      external: true,
      assignee: `team${at % 7}`,
      priority: at % 5,
      ...(parent && { parent: [parent] }),
    });
    ids[at] = made.id;
    if (at % 10 > 0 && at % 10 < 7) await call("kanban.complete", { ids: [made.id], summary: `did ${at}` });
  });
  return board;
}

async function inFlight(count: number, each: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < count; at = next++) await each(at);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
}

function callOf(client: Client, board: string, verb: (typeof VERBS)[number]): () => Promise<number> {
  const fresh = () =>
    client.call<{ id: string }>("kanban.create", {
      title: "measured",
      external: true,
      assignee: "team0",
      priority: 9,
      board,
    });
  const measured = async (method: string, params: Readonly<Record<string, unknown>>) => {
    const began = performance.now();
    await client.call(method, { ...params, board });
    return performance.now() - began;
  };
  if (verb === "list") return () => measured("kanban.list", { limit: PAGE });
  if (verb === "create") return () => measured("kanban.create", { title: "one more", triage: true });
  return async () => measured(`kanban.${verb}`, { id: (await fresh()).id });
}

function rowsOf(verb: string, times: ReadonlyMap<string, number>): Row[] {
  const of = (size: number) => times.get(`${verb} ${size}`) ?? Number.NaN;
  const curve = SIZES.map((size) => `${of(size).toFixed(2)} ms`).join(" / ");
  return [
    {
      name: `${verb}, board of 10,000 / of 100`,
      value: of(10_000) / of(100),
      unit: "x",
      bound: { is: "<=", of: 1.5 },
      note: curve,
    },
    { name: `${verb}, board of 100,000 / of 100`, value: of(100_000) / of(100), unit: "x" },
  ];
}

const memoryRows = (memory: readonly number[]): Row[] => [
  {
    name: "peak memory of an owner with 110,100 tasks",
    value: memory.at(-1) ?? Number.NaN,
    unit: "MB",
    bound: { is: "<=", of: 400 },
    note: SIZES.map((size, at) => `${size}: ${memory[at]?.toFixed(0)} MB`).join(", "),
  },
];

/** The same boards opened by the next owner. */
async function restart(world: BenchWorld): Promise<Row[]> {
  const { owner } = world;
  if (owner === undefined) return [];
  const gone = new Promise((done) => owner.once("close", done));
  owner.kill("SIGTERM");
  await gone;
  await bringOwner(world);
  const client = await clientOf(world);
  const began = performance.now();
  await client.call("kanban.list", { limit: PAGE, board: "s100000" });
  const opened = performance.now() - began;
  client.close();
  return [
    { name: "first list of 100,000 tasks after a restart", value: opened, unit: "ms" },
    {
      name: "peak memory of that owner",
      value: memoryOf(world.owner?.pid ?? 0, "peak") ?? Number.NaN,
      unit: "MB",
      bound: { is: "<=", of: 400 },
    },
  ];
}
