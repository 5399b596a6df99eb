import type { Client } from "../../lib/backplane/client.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import { type BenchWorld, bringOwner, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { pause } from "./drive.js";
import { median, type Row } from "./measure.js";
import { cpuOf, memoryOf } from "./processes.js";

const TASKS = 11;
const IDLE_MS = 10_000;
/** Five seconds after the last work each thread of an owner collects, once, what the start has left: the price of a start, not of waiting. */
const SETTLED_MS = 20_000;
/** And what its tasks have left. */
const RESTED_MS = 8_000;

/** How fast the dispatcher and its workers react, and what an idle owner costs. */
export async function benchBoard(): Promise<Row[]> {
  const world = await openWorld("worker");
  try {
    await bringOwner(world);
    const idle = await idleOwner(world);
    return [...(await reactions(world)), ...idle, ...(await rested(world))];
  } finally {
    await closeWorld(world);
  }
}

async function reactions(world: BenchWorld): Promise<Row[]> {
  const client = await clientOf(world);
  await client.call("kanban.create", { title: "opens the board", triage: true });
  const seen = watchBoard(client);
  const toClaimed: number[] = [];
  const toRequest: number[] = [];
  for (let round = 0; round < TASKS; round++) {
    const before = world.model.chats().length;
    const { id } = await client.call<{ id: string }>("kanban.create", {
      title: "write hello.txt",
      assignee: "default",
    });
    const ready = performance.now();
    const claimed = await seen.next("claimed", id);
    await world.model.arrived(before + 1);
    toRequest.push(performance.now() - claimed);
    toClaimed.push(Math.max(0, claimed - ready));
    await seen.next("completed", id);
  }
  seen.stop();
  client.close();
  return [
    { name: "ready to claimed, median", value: median(toClaimed), unit: "ms", bound: { is: "<=", of: 100 } },
    {
      name: "claimed to the worker's first request, median",
      value: median(toRequest),
      unit: "ms",
      bound: { is: "<=", of: 400 },
    },
  ];
}

interface BoardWatch {
  /** Time at which the event was seen, now or earlier. */
  next(kind: string, task: string): Promise<number>;
  stop(): void;
}

function watchBoard(client: Client): BoardWatch {
  const control = new AbortController();
  const at = new Map<string, number>();
  const waiting = new Map<string, (time: number) => void>();
  const note = (event: WireEvent) => {
    const key = `${event.event} ${event.task_id}`;
    const now = performance.now();
    at.set(key, now);
    waiting.get(key)?.(now);
  };
  const follow = async () => {
    for await (const item of client.subscribe("board:default", { after: 0, signal: control.signal }))
      if (item.kind === "events") item.events.forEach(note);
  };
  const following = follow();
  const broken = new Promise<never>((_, reject) => following.catch(reject));
  broken.catch(() => undefined);
  const seen = (kind: string, task: string) =>
    new Promise<number>((resolve) => {
      const early = at.get(`${kind} ${task}`);
      if (early === undefined) waiting.set(`${kind} ${task}`, resolve);
      else resolve(early);
    });
  // A watch that breaks ends every wait, instead of leaving it for ever.
  const next = (kind: string, task: string) => Promise.race([seen(kind, task), broken]);
  return { next, stop: () => control.abort(new Error("stopped")) };
}

async function idleOwner(world: BenchWorld): Promise<Row[]> {
  const pid = world.owner?.pid ?? 0;
  await pause(SETTLED_MS);
  const before = cpuOf(pid);
  await pause(IDLE_MS);
  const after = cpuOf(pid);
  const memory = memoryOf(pid);
  if (before === undefined || after === undefined || memory === undefined) return [];
  const share = ((after - before) / (IDLE_MS / 1000)) * 100;
  return [
    // No collection is forced, and the engine has as many compiling threads as it likes: 15 MB more than with both kept short.
    { name: "memory of an idle owner", value: memory, unit: "MB", bound: { is: "<=", of: 125 } },
    { name: "processor of an idle owner", value: share, unit: "%", bound: { is: "<=", of: 0.5 } },
  ];
}

async function rested(world: BenchWorld): Promise<Row[]> {
  await pause(RESTED_MS);
  const memory = memoryOf(world.owner?.pid ?? 0);
  return memory === undefined
    ? []
    : [{ name: `memory of an idle owner after ${TASKS} tasks`, value: memory, unit: "MB" }];
}
