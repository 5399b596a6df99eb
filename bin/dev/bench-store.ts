import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BenchWorld, bringOwner, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { freshEnv, runProgram } from "./drive.js";
import { median, type Row } from "./measure.js";
import { onPath } from "./servers.js";

const COUNT = 2_000;
const IN_FLIGHT = 32;
const ROUNDS = 5;
/** Rounds before the first that counts: the owner's code is compiled while it runs, and a long-lived owner has run it before. */
const WARM_ROUNDS = 3;
const FLOORS = join("bin", "dev", "floors");

/** Durable creates with 32 in flight, against a file that is synced after each write, and against SQLite of Python. */
export async function benchStore(): Promise<Row[]> {
  const world = await openWorld("echo");
  try {
    await bringOwner(world);
    const python = await onPath("python3");
    const rates = { creates: [] as number[], floor: [] as number[], wal: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS; round++) await creates(world, round);
    for (let round = WARM_ROUNDS; round < WARM_ROUNDS + ROUNDS; round++) {
      const found = [
        await creates(world, round),
        await rate(process.execPath, "sync.mjs", world, round),
        python ? await rate("python3", "wal.py", world, round) : Number.NaN,
      ];
      for (const [at, list] of [rates.creates, rates.floor, rates.wal].entries()) list.push(found[at] ?? Number.NaN);
    }
    return rowsOf(median(rates.creates), median(rates.floor), python ? median(rates.wal) : undefined);
  } finally {
    await closeWorld(world);
  }
}

function rowsOf(creates: number, floor: number, wal: number | undefined): Row[] {
  const against = (name: string, of: number, other: number): Row => ({
    name,
    value: creates / other,
    unit: "x",
    bound: { is: ">=", of },
    note: `${Math.round(creates)} / ${Math.round(other)} per second`,
  });
  const rows = [against("durable creates, 32 in flight / append + fdatasync", 0.8, floor)];
  return wal === undefined ? rows : [...rows, against("durable creates, 32 in flight / Python sqlite3 WAL", 1.5, wal)];
}

async function creates(world: BenchWorld, round: number): Promise<number> {
  const client = await clientOf(world);
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    for (let at = next++; at < COUNT; at = next++)
      await client.call("kanban.create", { title: `task ${round} ${at}`, body: "x".repeat(200), triage: true });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const seconds = (performance.now() - began) / 1000;
  client.close();
  return COUNT / seconds;
}

/** On the disk of the home, but not among the files that the owner watches: it woke up at every write of the other program. */
async function rate(program: string, script: string, world: BenchWorld, round: number): Promise<number> {
  const dir = join(world.home, "floors");
  await mkdir(dir, { recursive: true });
  const ran = await runProgram(program, [join(FLOORS, script), join(dir, `${script}-${round}`), String(COUNT)], {
    env: freshEnv(world.home),
  });
  if (ran.code !== 0) throw new Error(`${script} ended with ${ran.code}: ${ran.stderr}`);
  return Number(ran.stdout);
}
