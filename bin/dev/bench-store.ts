import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BenchWorld, bringOwner, clientOf, closeWorld, openWorld, stopOwner } from "./bench-world.js";
import { freshEnv, runProgram } from "./drive.js";
import { median, medianRatio, type Row } from "./measure.js";
import { type RecordedFacts, recordCreates } from "./recorded-creates.js";
import { onPath } from "./servers.js";

const COUNT = 2_000;
const IN_FLIGHT = 32;
/** Each compares all three within a second or two; the middle of so many stands still while the machine's speed moves by half. */
const ROUNDS = 9;
/** Rounds before the first that counts: the owner's code is compiled while it runs, and a long-lived owner has run it before. */
const WARM_ROUNDS = 3;
/** Creates that Python repeats: so few that the journal still has all of them when its owner ends. */
const RECORDED = 1_500;
const FLOORS = join("bin", "dev", "floors");

/** Durable creates with 32 in flight, against a file that is synced after each write, and against the same inserts in SQLite of Python. */
export async function benchStore(): Promise<Row[]> {
  const world = await openWorld("echo");
  try {
    const inserts = (await onPath("python3")) ? await recorded(world) : undefined;
    await bringOwner(world);
    const rates = { creates: [] as number[], floor: [] as number[], wal: [] as number[] };
    for (let round = 0; round < WARM_ROUNDS; round++) await creates(world, round);
    for (let round = WARM_ROUNDS; round < WARM_ROUNDS + ROUNDS; round++) {
      rates.creates.push(await creates(world, round));
      rates.floor.push(await rate(world, process.execPath, ["sync.mjs", `sync-${round}`, String(COUNT)]));
      if (inserts) rates.wal.push(await rate(world, "python3", ["wal.py", `wal-${round}.db`, inserts.path]));
    }
    return rowsOf(rates, inserts?.facts);
  } finally {
    await closeWorld(world);
  }
}

/** Per second, of each round. */
interface Rates {
  readonly creates: readonly number[];
  readonly floor: readonly number[];
  readonly wal: readonly number[];
}

function rowsOf({ creates, floor, wal }: Rates, recorded: RecordedFacts | undefined): Row[] {
  const against = (name: string, of: number, others: readonly number[]): Row => ({
    name,
    value: medianRatio(creates, others),
    unit: "x",
    bound: { is: ">=", of },
    note: `${Math.round(median(creates))} / ${Math.round(median(others))} per second`,
  });
  const rows = [against("durable creates, 32 in flight / append + fdatasync", 1, floor)];
  if (recorded === undefined) return rows;
  const row = against("durable creates, 32 in flight / Python sqlite3 WAL", 1.5, wal);
  const { statements, tables, indexes } = recorded;
  const same = `the same ${statements} inserts per create with their values, schema of the board (${tables} tables, ${indexes} indexes), WAL, synchronous FULL`;
  return [...rows, { ...row, note: `${row.note}; ${same}` }];
}

/** The creates that Python repeats: made by an owner of this program in a board of their own, which is gone when the measuring begins. */
async function recorded(world: BenchWorld): Promise<{ readonly path: string; readonly facts: RecordedFacts }> {
  const apart = await openWorld("echo");
  try {
    await bringOwner(apart);
    await creates(apart, 0, RECORDED);
    await stopOwner(apart);
    const path = join(world.home, "creates.json");
    return { path, facts: await recordCreates(apart.home, RECORDED, path) };
  } finally {
    await closeWorld(apart);
  }
}

async function creates(world: BenchWorld, round: number, count = COUNT): Promise<number> {
  const client = await clientOf(world);
  let next = 0;
  const began = performance.now();
  const worker = async () => {
    for (let at = next++; at < count; at = next++)
      await client.call("kanban.create", { title: `task ${round} ${at}`, body: "x".repeat(200), triage: true });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  const seconds = (performance.now() - began) / 1000;
  client.close();
  return count / seconds;
}

/** On the disk of the home, but not among the files that the owner watches: it woke up at every write of the other program. */
async function rate(
  world: BenchWorld,
  program: string,
  [script, file, what]: readonly [string, string, string],
): Promise<number> {
  const dir = join(world.home, "floors");
  await mkdir(dir, { recursive: true });
  const ran = await runProgram(program, [join(FLOORS, script), join(dir, file), what], { env: freshEnv(world.home) });
  if (ran.code !== 0) throw new Error(`${script} ended with ${ran.code}: ${ran.stderr}`);
  return Number(ran.stdout);
}
