import { type BenchWorld, bringOwner, closeWorld, openWorld, timeAgent } from "./bench-world.js";
import { pause, runAgent } from "./drive.js";
import type { Row } from "./measure.js";
import { childrenOf, memoryOf } from "./processes.js";

const ROUNDS = 5;
const ONE_SHOTS = 20;
/** The engine gives memory back by itself when nothing asks an owner for a minute. */
const REST_MS = 60_000;

/** What an owner keeps of one-shots and board verbs that come one after the other: `n=<rounds>`, 60 commands each. */
export async function benchSoak(args: readonly string[]): Promise<Row[]> {
  const rounds = Number(args.find((arg) => arg.startsWith("n="))?.slice(2) || ROUNDS);
  const world = await openWorld("echo");
  try {
    await bringOwner(world);
    const pid = world.owner?.pid ?? 0;
    const sizes: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      for (let n = 1; n <= ONE_SHOTS; n++) await commands(world, `${round}.${n}`);
      sizes.push(memoryOf(pid) ?? 0);
    }
    await pause(REST_MS);
    const rested = memoryOf(pid) ?? 0;
    const shown = sizes.map((size) => size.toFixed(0)).join(", ");
    return [
      {
        name: `memory of an owner after ${rounds * ONE_SHOTS} one-shots and ${rounds * ONE_SHOTS * 2} board verbs`,
        value: rested,
        unit: "MB",
        bound: { is: "<=", of: 200 },
        note: `after a minute of rest; at the end of each round ${shown}`,
      },
      {
        name: "processes that it keeps for them",
        value: childrenOf(pid).length,
        unit: "x",
        bound: { is: "<=", of: 0 },
      },
    ];
  } finally {
    await closeWorld(world);
  }
}

async function commands(world: BenchWorld, name: string): Promise<void> {
  await timeAgent(world, ["-z", `say ${name}`]);
  const made = await runAgent(["kanban", "create", `task ${name}`, "--triage", "--json"], {
    env: world.env,
    cwd: world.home,
  });
  const { id } = JSON.parse(made.stdout) as { id: string }; // the answer of a create that succeeded; a failed one does not print JSON
  await timeAgent(world, ["kanban", "comment", id, "a comment"]);
}
