import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type BenchWorld, bringOwner, closeWorld, openWorld, stopOwner } from "./bench-world.js";
import { runAgent } from "./drive.js";
import { inRounds, median, medianRatio, type Row, slope } from "./measure.js";
import { onPath } from "./servers.js";

const ROUNDS = 11;
/** Commands of one turn, one after the other. */
const STEPS = [1, 10, 50] as const;

/** What the cage costs: a command of a session whose cage is there, and the first one, each beside an owner whose cage is off. */
export async function benchCage(): Promise<Row[]> {
  if (!(await onPath("bwrap"))) throw new Error("bubblewrap (bwrap) is not installed");
  const caged = await openCage("required");
  const free = await openCage("off");
  try {
    return [...(await commands(caged, free)), await firstCommand(caged, free)];
  } finally {
    await closeWorld(caged);
    await closeWorld(free);
  }
}

async function openCage(use: string): Promise<BenchWorld> {
  const world = await openWorld("echo");
  await appendFile(join(world.home, "config.yaml"), `terminal:\n  cage: ${use}\n`);
  await mkdir(join(world.home, "project"));
  return world;
}

/** Milliseconds of a turn with so many commands. */
async function timeCommands(world: BenchWorld, commands: number): Promise<number> {
  const args = ["-z", "go", "-m", `script:rounds-${commands}`, "--provider", "custom"];
  const ran = await runAgent(args, { env: world.env, cwd: join(world.home, "project") });
  if (ran.code !== 0 || !ran.stdout.includes("Done"))
    throw new Error(`exit ${ran.code}: ${ran.stderr.trim() || ran.stdout.trim()}`);
  return ran.ms;
}

/** What one more command costs in a session at work: slope over 1, 10 and 50 of them. */
async function commands(caged: BenchWorld, free: BenchWorld): Promise<Row[]> {
  await bringOwner(caged);
  await bringOwner(free);
  const cases = STEPS.flatMap((count): [string, () => Promise<number>][] => [
    [`caged ${count}`, () => timeCommands(caged, count)],
    [`free ${count}`, () => timeCommands(free, count)],
  ]);
  const times = await inRounds(ROUNDS, Object.fromEntries(cases));
  await stopOwner(caged);
  await stopOwner(free);
  const slopes = (who: string) =>
    Array.from({ length: ROUNDS }, (_, at) =>
      slope(STEPS.map((count) => [count, times.get(`${who} ${count}`)?.[at] ?? Number.NaN])),
    );
  const inside = slopes("caged");
  const outside = slopes("free");
  const note = `${median(inside).toFixed(1)} / ${median(outside).toFixed(1)} ms`;
  return [
    {
      name: "one command, caged / free",
      value: medianRatio(inside, outside),
      unit: "x",
      bound: { is: "<=", of: 3.5 }, // each makes its own cage; set on a busy machine (2.5 there)
      note,
    },
  ];
}

/** What the first command of a session costs more, in owners that have tried the cage before. */
async function firstCommand(caged: BenchWorld, free: BenchWorld): Promise<Row> {
  await bringOwner(caged);
  await bringOwner(free);
  const times = await inRounds(ROUNDS, { caged: () => timeCommands(caged, 1), free: () => timeCommands(free, 1) });
  await stopOwner(caged);
  await stopOwner(free);
  const [inside = [], outside = []] = [times.get("caged"), times.get("free")];
  const more = median(inside.map((value, round) => value - (outside[round] ?? Number.NaN)));
  const note = `${median(inside).toFixed(1)} / ${median(outside).toFixed(1)} ms`;
  return {
    name: "first command of a session, caged - free",
    value: more,
    unit: "ms",
    bound: { is: "<=", of: 30, scales: true },
    note,
  };
}
