import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PIECES } from "../../lib/base/perf/plain.js";
import { openTty } from "./bench-tty.js";
import { type BenchWorld, bringOwner, closeWorld, openWorld, stopOwner, timeAgent } from "./bench-world.js";
import { CODE_FILES, warmCodeCache } from "./code-cache.js";
import { ended, pause, runProgram, startOwner } from "./drive.js";
import { inRounds, median, type Row } from "./measure.js";
import { cpuOf, memoryOf } from "./processes.js";

const ROUNDS = 7;
/** So many are listed. */
const TASKS = 20;
/** Until an owner or a screen that has just started has nothing left to do. */
const SETTLED_MS = 3_000;
const LETTERS = "αβγδεζηθικλμ"; // none of them is in what streams
const PROMPT = "›";

/** The program with all of its machinery, and what `AGENT_PLAIN` leaves of it: the build, and its caches made with the same setting. */
interface Variant {
  /** Value of `AGENT_PLAIN`; "" switches nothing off. */
  readonly off: string;
  readonly agent: string;
}

interface Case {
  readonly name: string;
  readonly owner: boolean;
  readonly args: readonly string[];
}

const CASES: readonly Case[] = [
  { name: "kanban list", owner: false, args: ["kanban", "list", "--json"] },
  { name: "kanban create", owner: false, args: ["kanban", "create", "one more", "--triage", "--json"] },
  { name: "-z hi", owner: false, args: ["-z", "hi"] },
  { name: "kanban list, owner running", owner: true, args: ["kanban", "list", "--json"] },
  { name: "-z hi, owner running", owner: true, args: ["-z", "hi"] },
];

/** What each piece of `lib/base/perf` buys: figures that a person can feel without it, against those with everything. */
export async function benchPlain(): Promise<Row[]> {
  const dir = await mkdtemp(join(tmpdir(), "agent-plain-"));
  try {
    const variants: Variant[] = [];
    for (const off of ["", ...PIECES, "1"]) variants.push(await prepare(dir, off));
    return [
      ...(await commands(variants, false)),
      ...(await commands(variants, true)),
      ...(await screens(variants)),
      ...(await owners(variants)),
    ];
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

/** A cache is bound to the flags that it was made with, so each variant makes its own. */
async function prepare(dir: string, off: string): Promise<Variant> {
  const folder = join(dir, `dist-${off || "whole"}`);
  const isProduct = (path: string) => !/^dist.(test|faults|bench|program-)/.test(path) && !path.endsWith(".map");
  await cp("dist", folder, { recursive: true, filter: isProduct });
  for (const name of CODE_FILES) await rm(join(folder, name), { force: true });
  await warmCodeCache(folder, plainEnv(off));
  return { off, agent: join(folder, "agent.cjs") };
}

const plainEnv = (off: string): Record<string, string> => (off === "" ? {} : { AGENT_PLAIN: off });

const envOf = ({ env }: BenchWorld, { off }: Variant): Record<string, string> => ({ ...env, ...plainEnv(off) });

/** Each case by every variant in turn, wall and processor time. */
async function commands(variants: readonly Variant[], owner: boolean): Promise<Row[]> {
  const world = await openWorld("echo");
  try {
    if (owner) await bringOwner(world);
    for (let made = 0; made < TASKS; made++) await timeAgent(world, ["kanban", "create", `task ${made}`, "--triage"]);
    const rows: Row[] = [];
    for (const { name, args } of CASES.filter((one) => one.owner === owner)) {
      const spent = new Map<string, number[]>();
      const run = (variant: Variant) => async () => {
        const before = childrenSpent();
        const options = { env: envOf(world, variant), cwd: world.home };
        const ran = await runProgram(process.execPath, [variant.agent, ...args], options);
        if (ran.code !== 0) throw new Error(`${name} without ${variant.off || "nothing"}: ${ran.stderr}`);
        spent.set(variant.off, [...(spent.get(variant.off) ?? []), childrenSpent() - before]);
        return ran.ms;
      };
      const walls = await inRounds(ROUNDS, Object.fromEntries(variants.map((one) => [keyOf(one), run(one)])));
      const figures = variants.map((one) => ({
        variant: one,
        wall: walls.get(keyOf(one)) ?? [],
        cpu: spent.get(one.off) ?? [],
      }));
      rows.push(...rowsOf(name, figures));
    }
    return rows;
  } finally {
    if (owner) await stopOwner(world);
    await closeWorld(world);
  }
}

/** Object keys that are numbers would come first. */
const keyOf = ({ off }: Variant): string => `off ${off}`;

interface Figures {
  readonly variant: Variant;
  readonly wall: readonly number[];
  readonly cpu: readonly number[];
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Least wall time of each variant against that of the whole: what a busy machine adds is in none of them. */
function rowsOf(name: string, [whole, ...others]: readonly Figures[]): Row[] {
  if (whole === undefined) return [];
  const least = Math.min(...whole.wall);
  const behind = (one: Figures) =>
    `${Math.min(...one.wall).toFixed(0)} / ${least.toFixed(0)} ms at least, ${median(one.wall).toFixed(0)} / ${median(whole.wall).toFixed(0)} in the middle; ` +
    `processor ${mean(one.cpu).toFixed(0)} / ${mean(whole.cpu).toFixed(0)} ms`;
  return others.map((one) => ({
    name: `${name}, ${one.variant.off === "1" ? "plain" : `without ${one.variant.off}`}`,
    value: Math.min(...one.wall) / least,
    unit: "x",
    note: behind(one),
  }));
}

/** Milliseconds of processor time of the processes that this one has started and that have ended. Linux only; elsewhere nothing. */
const childrenSpent = (): number => (cpuOf(process.pid, "ended children") ?? Number.NaN) * 1_000;

/** Until the screen can be typed into, as a client; a key till it is shown; and an answer that streams. */
async function screens(variants: readonly Variant[]): Promise<Row[]> {
  const world = await openWorld("stream");
  try {
    await bringOwner(world);
    await pause(SETTLED_MS);
    const all = new Map<string, Figures>();
    for (let round = 0; round <= ROUNDS; round++)
      for (const variant of variants) {
        const found = await oneScreen(world, variant);
        if (round > 0) note(all, variant, found);
      }
    const figuresOf = (kind: string) => variants.flatMap(({ off }) => all.get(`${kind} ${off}`) ?? []);
    return SCREEN.flatMap((kind) => rowsOf(kind, figuresOf(kind)));
  } finally {
    await closeWorld(world);
  }
}

/** What is measured of one screen, in this order. */
const SCREEN = ["prompt, attached", "key to screen", "an answer of 400 lines"] as const;

interface OfScreen {
  readonly walls: readonly number[];
  readonly cpus: readonly number[];
}

function note(all: Map<string, Figures>, variant: Variant, { walls, cpus }: OfScreen): void {
  for (const [at, kind] of SCREEN.entries()) {
    const key = `${kind} ${variant.off}`;
    const before = all.get(key) ?? { variant, wall: [], cpu: [] };
    all.set(key, {
      variant,
      wall: [...before.wall, walls[at] ?? Number.NaN],
      cpu: [...before.cpu, cpus[at] ?? Number.NaN],
    });
  }
}

async function oneScreen(world: BenchWorld, variant: Variant): Promise<OfScreen> {
  const env = { ...envOf(world, variant), TERM: "xterm-256color" };
  const tty = await openTty(`${process.execPath} ${variant.agent}`, env, world.home);
  try {
    const begun = performance.now();
    const prompt = (await tty.wrote(PROMPT)) - begun;
    const pid = tty.pid();
    const spent = () => (cpuOf(pid) ?? Number.NaN) * 1_000;
    const atPrompt = spent();
    await pause(500);
    const keys: number[] = [];
    const beforeKeys = spent();
    for (const letter of LETTERS) {
      const shown = tty.wrote(letter, 5_000);
      const typed = performance.now();
      tty.literal(letter);
      keys.push((await shown) - typed);
      await pause(30);
    }
    const afterKeys = spent();
    tty.keys(...Array.from(LETTERS, () => "BSpace"));
    await pause(200);
    const over = tty.wrote("THE-END");
    const asked = performance.now();
    tty.literal("stream 400");
    tty.keys("Enter");
    const answer = (await over) - asked;
    const walls = [prompt, median(keys), answer];
    const cpus = [atPrompt, afterKeys - beforeKeys, spent() - afterKeys];
    const gone = tty.wrote("\x1b[?1049l", 5_000).catch(() => 0); // it may have gone already
    tty.keys("C-d");
    await gone;
    return { walls, cpus };
  } finally {
    tty.close();
  }
}

/** Memory of an owner that was only started, and of one that has worked, after a rest. */
async function owners(variants: readonly Variant[]): Promise<Row[]> {
  const sizes: { readonly off: string; readonly idle: number; readonly worked: number }[] = [];
  for (const variant of variants) {
    const world = await openWorld("echo");
    try {
      const env = envOf(world, variant);
      const owner = await startOwner(env, 10_000, variant.agent);
      await pause(SETTLED_MS);
      const idle = memoryOf(owner.pid ?? 0) ?? Number.NaN;
      for (let round = 0; round < ROUNDS; round++)
        await runProgram(process.execPath, [variant.agent, "-z", "hi"], { env, cwd: world.home });
      await pause(SETTLED_MS);
      sizes.push({ off: variant.off, idle, worked: memoryOf(owner.pid ?? 0) ?? Number.NaN });
      const gone = ended(owner);
      owner.kill("SIGTERM");
      await gone;
    } finally {
      await closeWorld(world);
    }
  }
  const [whole, ...others] = sizes;
  return others.map(({ off, idle, worked }) => ({
    name: `memory of an owner, ${off === "1" ? "plain" : `without ${off}`}`,
    value: idle / (whole?.idle ?? Number.NaN),
    unit: "x",
    note: `${idle.toFixed(0)} / ${whole?.idle.toFixed(0)} MB; after ${ROUNDS} turns ${worked.toFixed(0)} / ${whole?.worked.toFixed(0)} MB`,
  }));
}
