import { LEAVING_MODEL, LEAVING_STATES, type LeavingState } from "../../fixtures/tui/leaving-states.js";
import { type BenchTty, openTty } from "./bench-tty.js";
import { type BenchWorld, bringOwner, closeWorld, openWorld } from "./bench-world.js";
import { AGENT, pause, runProgram } from "./drive.js";
import type { Row } from "./measure.js";
import { memoryOf } from "./processes.js";

/** One state of each kind: the table of all of them is a test (`tui/leaving-table.e2e.test.ts`), which does not look at the clock. */
const STATES: ReadonlySet<string> = new Set([
  "a new session",
  "a turn that writes",
  "an approval with the keys",
  "text in the form of a new task",
  "a run",
  "a search in the palette",
]);

const ESC = "C-[";
/** Way to the composer and to nothing in it, before a way that is typed. */
async function home(tty: BenchTty): Promise<void> {
  for (let step = 0; step < 5; step++) {
    tty.keys(ESC);
    await pause(120); // longer than what tells an Escape from Alt and a key
  }
  tty.keys("M-0", "C-u", "C-k");
  await pause(120);
}

interface Way {
  readonly ready?: (tty: BenchTty) => Promise<void>;
  readonly go: (tty: BenchTty, pid: number) => void;
}

const WAYS: Readonly<Record<string, Way>> = {
  "Ctrl+D": { ready: home, go: (tty) => tty.keys("C-d") },
  "/quit": {
    ready: async (tty) => {
      await home(tty);
      tty.literal("/quit ");
      await pause(120);
    },
    go: (tty) => tty.keys("Enter"),
  },
  SIGTERM: { go: (_tty, pid) => process.kill(pid, "SIGTERM") },
  SIGHUP: { go: (_tty, pid) => process.kill(pid, "SIGHUP") },
  "closed terminal": { go: (tty) => tty.close() },
};

interface Left {
  readonly label: string;
  /** Until the terminal was given back; undefined: it was gone. */
  readonly restored: number | undefined;
  readonly ended: number;
}

/** How long the workspace takes to leave, from states of every kind and by every way, as a client of an owner. */
export async function benchLeave(): Promise<Row[]> {
  const world = await openWorld("leaving", { leaving: LEAVING_MODEL }, "approvals:\n  caged: ask\n"); // what a cage holds is asked about, too
  try {
    await bringOwner(world);
    for (const args of [
      ["a card", "--triage"],
      ["a job", "--assignee", "default"],
    ])
      await runProgram(process.execPath, [AGENT, "kanban", "create", ...args], { env: world.env, cwd: world.home });
    const all: Left[] = [];
    for (const state of LEAVING_STATES.filter(({ name }) => STATES.has(name)))
      for (const [way, how] of Object.entries(WAYS)) all.push(await leaving(world, state, [way, how]));
    return rowsOf(all);
  } finally {
    await closeWorld(world);
  }
}

function rowsOf(all: readonly Left[]): Row[] {
  const worst = (of: (left: Left) => number | undefined) => all.toSorted((a, b) => (of(b) ?? 0) - (of(a) ?? 0))[0];
  const row = (name: string, of: (left: Left) => number | undefined, most: number): Row => {
    const slowest = worst(of);
    return {
      name,
      value: (slowest && of(slowest)) ?? Number.NaN,
      unit: "ms",
      bound: { is: "<=", of: most, scales: true },
      note: `the slowest of ${all.length}: ${slowest?.label ?? ""}`,
    };
  };
  return [
    row("workspace left, terminal given back", ({ restored }) => restored, 300),
    row("workspace left, process ended", ({ ended }) => ended, 600),
  ];
}

const LATE_MS = 20_000;

async function leaving(
  world: BenchWorld,
  state: LeavingState,
  [way, { ready, go }]: readonly [string, Way],
): Promise<Left> {
  const tty = await openTty(`${process.execPath} ${AGENT}`, { ...world.env, TERM: "xterm-256color" }, world.home);
  try {
    await shows(tty, /Ask anything/);
    for (const step of state.steps) {
      if (typeof step === "string") tty.send(step);
      else if (step instanceof RegExp) await shows(tty, step);
      else tty.resize(...step);
      await pause(50);
    }
    await ready?.(tty);
    const pid = tty.pid();
    await pause(300);
    const given = way === "closed terminal" ? undefined : tty.wrote("\x1b[?1049l", LATE_MS);
    const begun = performance.now();
    go(tty, pid);
    const restored = given === undefined ? undefined : (await given) - begun;
    if (!(await gone(pid))) throw new Error(`${state.name}, ${way}: process ${pid} never ended`);
    return { label: `${state.name}, ${way}`, restored, ended: performance.now() - begun };
  } finally {
    tty.close();
  }
}

async function shows(tty: BenchTty, text: RegExp): Promise<void> {
  for (const late = performance.now() + LATE_MS; !text.test(tty.screen()); await pause(20))
    if (performance.now() > late) throw new Error(`the screen never showed ${text}:\n${tty.screen()}`);
}

/** A process that has ended has no memory any more, also where tmux has not taken note of its end yet. */
async function gone(pid: number): Promise<boolean> {
  for (const late = performance.now() + LATE_MS; performance.now() < late; await pause(2))
    if (memoryOf(pid) === undefined) return true;
  return false;
}
