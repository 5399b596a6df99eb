import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fill } from "./bench-scale.js";
import { type BenchWorld, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { AGENT, ended, runProgram, startOwner } from "./drive.js";
import { median, type Row } from "./measure.js";
import { cpuOf } from "./processes.js";

const SIZES = [5_000, 20_000] as const;
const ROUNDS = 5;
/** Calls of one round: processor time is counted in hundredths of a second. */
const CALLS = 4;
const TOKEN = "token-of-the-measurements-0123456789-abcdef";

/** One way to read a board. */
type Read = (board: string) => Promise<void>;

/** Processor time of what reads a board, and how it grows with what it does not show. */
export async function benchReads(): Promise<Row[]> {
  const world = await openWorld("worker");
  const env = { ...world.env, AGENT_DASHBOARD_SESSION_TOKEN: TOKEN };
  let holder: ChildProcess | undefined;
  try {
    world.owner = await startOwner(env);
    const client = await clientOf(world);
    const dispatches: number[] = [];
    for (const size of SIZES) {
      await fill(client, size);
      dispatches.push(await dispatchCpu(world));
    }
    client.close();
    holder = spawn(process.execPath, [AGENT, "dashboard", "--port", "0", "--no-open"], {
      env,
      stdio: ["ignore", "pipe", "ignore"],
    });
    const base = `http://127.0.0.1:${await portOf(holder)}/api/plugins/kanban`;
    const verb =
      (...words: readonly string[]): Read =>
      async (board) => {
        await spent(world, board, words);
      };
    const rows: Row[] = [await listRow(world), dispatchRow(dispatches)];
    rows.push(await growth(world, "GET /board", async (board) => get(`${base}/board?board=${board}`)));
    rows.push(await growth(world, "next --limit 10", verb("next", "--limit", "10"), { is: "<=", of: 1.5 }));
    rows.push(await growth(world, "diagnostics", verb("diagnostics")));
    rows.push(await growth(world, "doctor", verb("doctor")));
    return rows;
  } finally {
    if (holder?.exitCode === null) {
      const gone = ended(holder);
      holder.kill("SIGTERM");
      await gone;
    }
    await closeWorld(world);
  }
}

async function get(url: string): Promise<void> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${TOKEN}` } });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  await answer.text();
}

/** Run a verb. @returns processor milliseconds of the command alone */
async function spent(world: BenchWorld, board: string, words: readonly string[]): Promise<number> {
  const line = `node "$@" > /dev/null; echo code=$?; times`;
  const args = ["-c", line, "sh", AGENT, "kanban", "--board", board, ...words];
  const { stdout, stderr } = await runProgram("/bin/bash", args, { env: world.env, cwd: world.home });
  if (!stdout.startsWith("code=0")) throw new Error(`${words.join(" ")}: ${stdout} ${stderr}`);
  const times = [...(stdout.trim().split("\n").at(-1) ?? "").matchAll(/(\d+)m([\d.]+)s/g)];
  return times.reduce((sum, [, minutes, seconds]) => sum + Number(minutes) * 60_000 + Number(seconds) * 1_000, 0);
}

async function listRow(world: BenchWorld): Promise<Row> {
  const board = `s${SIZES[0]}`;
  const all: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = ownerCpu(world);
    const own = await spent(world, board, ["list", "--json"]);
    if (round > 0) all.push(own + ownerCpu(world) - before);
  }
  const note = `command and owner; rounds ${all.map((ms) => ms.toFixed(0)).join(", ")}`;
  return {
    name: "processor time of list --json, 5,000 tasks",
    value: median(all),
    unit: "ms",
    bound: { is: "<=", of: 500, scales: true },
    note,
  };
}

/** Processor time of the owner for a dry run over all boards that there are. */
async function dispatchCpu(world: BenchWorld): Promise<number> {
  const all: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const before = ownerCpu(world);
    for (let call = 0; call < CALLS; call++) await spent(world, "default", ["dispatch", "--dry-run"]);
    if (round > 0) all.push((ownerCpu(world) - before) / CALLS);
  }
  return median(all);
}

/** What it shows grows with what is ready, three tasks in ten. */
function dispatchRow([small = Number.NaN, both = Number.NaN]: readonly number[]): Row {
  const [few, many] = SIZES;
  return {
    name: `dispatch --dry-run, boards of ${few + many} / of ${few} tasks`,
    value: both / Math.max(small, 1),
    unit: "x",
    note: `${small.toFixed(1)} ms of the owner's processor with ${few}, ${both.toFixed(1)} with ${few + many}`,
  };
}

const ownerCpu = (world: BenchWorld): number => (cpuOf(world.owner?.pid ?? 0) ?? Number.NaN) * 1000;

/** Processor time of the owner for one call on the larger board, against that on the smaller one. */
async function growth(world: BenchWorld, name: string, read: Read, bound?: Row["bound"]): Promise<Row> {
  const middles: number[] = [];
  for (const size of SIZES) {
    const board = `s${size}`;
    await read(board);
    const all: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      const before = ownerCpu(world);
      for (let call = 0; call < CALLS; call++) await read(board);
      all.push((ownerCpu(world) - before) / CALLS);
    }
    middles.push(median(all));
  }
  const [small = Number.NaN, large = Number.NaN] = middles;
  const note = `${small.toFixed(1)} ms of the owner's processor with 5,000, ${large.toFixed(1)} with 20,000`;
  return {
    name: `${name}, board of 20,000 / of 5,000`,
    value: large / Math.max(small, 1),
    unit: "x",
    ...(bound && { bound }),
    note,
  };
}

const portOf = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    if (child.stdout)
      createInterface({ input: child.stdout }).on("line", (line) => {
        const port = /^DASHBOARD_READY port=(\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(port);
      });
    child.once("exit", () => reject(new Error("the dashboard did not open")));
  });
