import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type BenchWorld,
  bringOwner,
  clientOf,
  closeWorld,
  openWorld,
  stopOwner,
  timeAgent,
  timeNode,
} from "./bench-world.js";
import { runAgent } from "./drive.js";
import { compared, inRounds, type Row } from "./measure.js";

const ROUNDS = 11;
const TASKS = 10_000;
const IN_FLIGHT = 32;

/** How long commands take from the shell, as ratios to a Node that does nothing. */
export async function benchStart(): Promise<Row[]> {
  const world = await openWorld("echo");
  try {
    await bringOwner(world);
    await fill(world);
    const copy = await copyOfAll(world);
    const list = (limit: number) => () => timeAgent(world, ["kanban", "list", "--json", "--limit", String(limit)]);
    const node = () => timeNode(["-e", "0"]);
    const withOwner = await inRounds(ROUNDS, {
      node,
      version: () => timeAgent(world, ["--version"]),
      page: list(200),
      all: list(TASKS),
      copy,
    });
    await stopOwner(world);
    const without = await inRounds(ROUNDS, {
      node,
      page: list(200),
      all: list(TASKS),
      copy,
      create: () => timeAgent(world, ["kanban", "create", "one more", "--triage", "--json"]),
    });
    return [
      ratio("--version / node -e 0", withOwner, "version", 1.25),
      ratio("kanban list, 200 of 10,000 tasks, owner running", withOwner, "page", 1.6),
      ratio("kanban list, 200 of 10,000 tasks, none running", without, "page", 6),
      ratio("kanban create, none running", without, "create", 7.5),
      overCopy("all 10,000 tasks, owner running / Node that copies the same text", withOwner),
      overCopy("all 10,000 tasks, none running / Node that copies the same text", without),
    ];
  } finally {
    await closeWorld(world);
  }
}

type Rounds = ReadonlyMap<string, readonly number[]>;

const ratio = (name: string, rounds: Rounds, which: string, of: number): Row => ({
  name,
  ...compared(rounds, which, "node"),
  bound: { is: "<=", of },
});

/** Nothing promises it: most of the time goes to sixteen megabytes on their way through a pipe, which alone takes a bare Node three times its start. */
const overCopy = (name: string, rounds: Rounds): Row => ({ name, ...compared(rounds, "all", "copy") });

/** Times a bare Node that writes what a list of all tasks prints. */
async function copyOfAll(world: BenchWorld): Promise<() => Promise<number>> {
  const path = join(world.home, "all.json");
  await writeFile(path, (await runAgent(["kanban", "list", "--json"], { env: world.env, cwd: world.home })).stdout);
  const script = `process.stdout.write(require("node:fs").readFileSync(${JSON.stringify(path)}))`;
  return () => timeNode(["-e", script]);
}

/** Tasks in triage, so that they are not worked. */
async function fill(world: BenchWorld): Promise<void> {
  const client = await clientOf(world);
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < TASKS; at = next++)
      await client.call("kanban.create", { title: `task ${at}`, body: "x".repeat(200), triage: true });
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  client.close();
}
