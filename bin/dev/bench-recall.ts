import { existsSync } from "node:fs";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { SEGMENT_VERSION } from "../../storage/tables/text/word-segments.js";
import { runProgram } from "./drive.js";
import type { Row } from "./measure.js";

const MESSAGES = 1_000_000;
const QUERIES = 200;
/** Building writes some 8,000 messages a second. */
const BUILD_MS = 1_800_000;
const PROBE_MS = 600_000;
/** As the launcher sets them for the program itself. */
const FLAGS = ["--wasm-tiering-budget=2147483647"];
const PROGRAMS = resolve("dist", "test", "programs");

interface Probe {
  readonly opened: number;
  readonly reopened: number;
  readonly peak: number;
  readonly kinds: Readonly<Record<string, { readonly wall: readonly number[]; readonly cpu: readonly number[] }>>;
}

/** Search over many stored messages, `n=<messages>` of them; the store is built once and kept beside the build. */
export async function benchRecall(args: readonly string[] = []): Promise<Row[]> {
  const messages = Number(args.find((arg) => arg.startsWith("n="))?.slice(2) || MESSAGES);
  const dir = await storeOf(messages);
  const env = { PATH: process.env["PATH"] ?? "" };
  const probe = [...FLAGS, join(PROGRAMS, "search-probe.cjs"), dir, String(QUERIES)];
  const ran = await runProgram(process.execPath, probe, { env, deadlineMs: PROBE_MS });
  if (ran.code !== 0) throw new Error(`the probe ended with ${ran.code}: ${ran.stderr}`);
  return rowsOf(JSON.parse(ran.stdout), messages);
}

async function storeOf(messages: number): Promise<string> {
  const dir = resolve("dist", "bench", `search-${messages}-${SEGMENT_VERSION}`);
  if (existsSync(dir)) return dir;
  const draft = `${dir}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  process.stdout.write(`building a store of ${messages} messages\n`);
  const program = [join(PROGRAMS, "search-store.cjs"), draft, String(messages)];
  const ran = await runProgram(process.execPath, program, {
    env: { PATH: process.env["PATH"] ?? "" },
    deadlineMs: BUILD_MS,
  });
  if (ran.code !== 0) throw new Error(`the store was not built: ${ran.stderr}`);
  await rename(draft, dir);
  process.stdout.write(
    `${((await stat(join(dir, "sessions.db"))).size / 2 ** 20).toFixed(0)} MiB in ${(ran.ms / 1000).toFixed(0)} s\n`,
  );
  return dir;
}

function rowsOf({ kinds, opened, reopened, peak }: Probe, messages: number): Row[] {
  const searched = Object.entries(kinds).map(([kind, { wall, cpu }]): Row => {
    const note = `p50 ${at(wall, 0.5)} ms, most ${at(wall, 1)} ms; processor p95 ${at(cpu, 0.95)} ms`;
    return {
      name: `search ${messages} messages, ${kind}, p95`,
      value: quantile(wall, 0.95),
      unit: "ms",
      bound: { is: "<=", of: 20 },
      note,
    };
  });
  return [
    ...searched,
    {
      name: "open that store, engine loaded",
      value: reopened,
      unit: "ms",
      bound: { is: "<=", of: 50 },
      note: `first in a process, in its thread ${opened.toFixed(0)} ms`,
    },
    { name: "peak memory of the process that searched", value: peak, unit: "MB", bound: { is: "<=", of: 150 } },
  ];
}

const at = (values: readonly number[], share: number): string => quantile(values, share).toFixed(1);

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
