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
import { freshEnv, runProgram } from "./drive.js";
import { compared, inRounds, interleaved, median, medianRatio, type Row, slope } from "./measure.js";
import { onPath } from "./servers.js";

const ROUNDS = 11;
const STEPS = [1, 10, 50] as const;
/** Slopes of both sides, each from its own runs. Of three the middle moved by half from one run of the bench to the next. */
const SLOPES = 11;
/** Turns of 50 rounds, behind which most of what the owner runs often is optimised: its rounds then get faster slowly only. */
const MORE_TURNS = 30;
const FLOOR = join("bin", "dev", "floors", "turn.mjs");

/** One-shot turns against a scripted server, as ratios to a bare program that makes the same requests. */
export async function benchTurns(): Promise<Row[]> {
  const world = await openWorld("echo", { never: { replies: [{ hold: "for ever" }] } });
  try {
    const floor = () => timeNode([FLOOR, world.model.url, "0"]);
    const hi = () => timeAgent(world, ["-z", "hi"]);
    const without = await inRounds(ROUNDS, { floor, hi });
    const peak = await peakMemory(world);
    await bringOwner(world);
    const withOwner = await inRounds(ROUNDS, { floor, hi });
    await stopOwner(world);
    return [
      ratio("-z hi, owner running", withOwner, 2.5),
      ratio("-z hi, none running", without, 6),
      ...peak,
      ...(await toolRounds(world)),
      await interrupts(world),
      ...(await batches(world)),
    ];
  } finally {
    await closeWorld(world);
  }
}

const ratio = (name: string, rounds: ReadonlyMap<string, readonly number[]>, of: number): Row => ({
  name,
  ...compared(rounds, "hi", "floor"),
  bound: { is: "<=", of },
});

/** What one more tool round costs outside the model: slope over 1, 10 and 50 rounds, every message durable. In an owner just started, and in one at work. */
async function toolRounds(world: BenchWorld): Promise<Row[]> {
  await bringOwner(world);
  const fresh = await slopes(world);
  for (let more = 0; more < MORE_TURNS; more++) await timeRounds(world, 50);
  const busy = await slopes(world);
  await stopOwner(world);
  const row = (name: string, { own, floor }: Slopes) => ({
    name,
    value: medianRatio(own, floor),
    unit: "x" as const,
    note: `${median(own).toFixed(1)} / ${median(floor).toFixed(1)} ms`,
  });
  return [
    // A shell of its own for each command: simpler than shells that wait, for some milliseconds beside a model that takes seconds.
    { ...row("one tool round, slope", fresh), bound: { is: "<=", of: 12 } },
    row(`the same after ${MORE_TURNS * 50} more rounds in that owner`, busy),
  ];
}

/** Milliseconds per round. */
interface Slopes {
  readonly own: readonly number[];
  readonly floor: readonly number[];
}

async function slopes(world: BenchWorld): Promise<Slopes> {
  const cases = STEPS.flatMap((rounds): [string, () => Promise<number>][] => [
    [`own ${rounds}`, () => timeRounds(world, rounds)],
    [`floor ${rounds}`, () => timeNode([FLOOR, world.model.url, String(rounds)])],
  ]);
  const times = await inRounds(SLOPES, Object.fromEntries(cases));
  const of = (who: string) =>
    Array.from({ length: SLOPES }, (_, at) =>
      slope(STEPS.map((rounds) => [rounds, times.get(`${who} ${rounds}`)?.[at] ?? Number.NaN])),
    );
  return { own: of("own"), floor: of("floor") };
}

const timeRounds = (world: BenchWorld, rounds: number): Promise<number> =>
  timeAgent(world, ["-z", "go", "-m", `script:rounds-${rounds}`, "--provider", "custom"]);

/** From an interrupt to its answer, while the model is silent (core part, 9.1). */
async function interrupts(world: BenchWorld): Promise<Row> {
  await bringOwner(world);
  const client = await clientOf(world);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const options = { cwd: world.home, model: "script:never", provider: "custom" };
    const { id } = await client.call<{ id: string }>("session.create", options);
    const before = world.model.chats().length;
    await client.call("turn.submit", { session_id: id, text: "go" }, { key: `go ${round}` });
    await world.model.arrived(before + 1);
    const from = performance.now();
    await client.call("turn.interrupt", { session_id: id });
    times.push(performance.now() - from);
  }
  client.close();
  await stopOwner(world);
  return { name: "interrupt to its answer", value: median(times), unit: "ms", bound: { is: "<=", of: 100 } };
}

/** Ten calls that only look, in one response against ten responses; and twenty rounds without a pause between tools (core part, C18). */
async function batches(world: BenchWorld): Promise<Row[]> {
  await writeFile(join(world.home, "f"), "line\n".repeat(30));
  await bringOwner(world);
  const run = (script: string) => () =>
    timeAgent(world, ["-z", "go", "-m", `script:${script}`, "--provider", "custom"]);
  const medians = await interleaved(3, {
    together: run("waits-together"),
    apart: run("waits-apart"),
    reads: run("reads-20"),
  });
  await stopOwner(world);
  const [together = 0, apart = 0, reads = 0] = ["together", "apart", "reads"].map((name) => medians.get(name));
  const note = `${Math.round(together)} / ${Math.round(apart)} ms`;
  return [
    { name: "ten waits, together / apart", value: together / apart, unit: "x", bound: { is: "<=", of: 0.5 }, note },
    { name: "20 rounds of read_file", value: reads, unit: "ms", bound: { is: "<=", of: 20 * 60 + 700 } },
  ];
}

/** Most memory of one `agent -z hi` without an owner, where the system can tell. */
async function peakMemory(world: BenchWorld): Promise<Row[]> {
  if (!(await onPath("python3"))) return [];
  const program =
    "import resource,subprocess,sys\nsubprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL,check=True)\nprint(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)";
  const args = ["-c", program, process.execPath, join("dist", "agent.cjs"), "-z", "hi"];
  const ran = await runProgram("python3", args, { env: freshEnv(world.home) });
  return [{ name: "peak memory of -z hi", value: Number(ran.stdout) / 1024, unit: "MB", bound: { is: "<=", of: 90 } }];
}
