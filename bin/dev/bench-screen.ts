import { type ChildProcess, spawn } from "node:child_process";
import { appendFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { renderLine } from "../../lib/base/log/log.js";
import { type BenchTty, openTty } from "./bench-tty.js";
import { AGENT, freshEnv, pause, startOwner } from "./drive.js";
import { median, type Row } from "./measure.js";
import { cpuOf, memoryOf } from "./processes.js";

const FLOOR = resolve(join("bin", "dev", "floors", "tty.mjs"));
/** Rows of letters that are not in what streams. They take turns: a letter that stands where the same one stood is not written again. */
const ROWS_OF_LETTERS = ["αβγδεζηθικλμνξοπρστυφχψω", "абвгдежзиклмнопрстуфхцчш"] as const;
const ROW = ROWS_OF_LETTERS[0].length;
const PROMPT = "›";
const STARTS = 9;
/** Until an owner that has just started has nothing left to do: people attach to one that is there. */
const SETTLED_MS = 3_000;
/** The stretch that the bound is stated for: shorter ones catch V8 tidying its heap once after an answer. */
const IDLE_MS = 60_000;
const STOP_MS = 10_000;
/** A screen that was the owner has ended by then; an earlier one meets it, and the next screen takes its place. */
const LEFT_MS = 3_000;
const LOG_LINES = 100_000;

interface Place {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ChildProcess;
}

/** The workspace on a real terminal, beside a bare Node program on the same one. */
export async function benchScreen(): Promise<Row[]> {
  const place = await openPlace();
  try {
    return [...(await starts(place)), ...(await asOwner(place)), ...(await attached(place))];
  } finally {
    place.model.kill();
    await rm(place.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** A home whose model is a scripted server in a process of its own, so that this one has nothing to do but to measure. */
async function openPlace(): Promise<Place> {
  const home = await mkdtemp(join(tmpdir(), "agent-bench-"));
  const model = spawn(process.execPath, [resolve("dist/fake.cjs"), "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const line = await new Promise<string>((done) => createInterface({ input: model.stdout }).once("line", done));
  const { url } = JSON.parse(line) as { url: string }; // the server prints it
  const settings = `model:\n  provider: custom\n  base_url: ${url}\n  default: script:stream\n  context_length: 10000000\n`;
  await writeFile(join(home, "config.yaml"), settings);
  return { home, env: freshEnv(home, { TERM: "xterm-256color" }), model };
}

const workspace = (place: Place) => openTty(`${process.execPath} ${AGENT}`, place.env, place.home);
const floor = (place: Place, ...args: readonly string[]) =>
  openTty(`${process.execPath} ${FLOOR} ${args.join(" ")}`, place.env, place.home);

/** How long until something can be typed, from the start of the process. */
async function starts(place: Place): Promise<Row[]> {
  const owner: number[] = [];
  const client: number[] = [];
  const bare: number[] = [];
  const time = async (open: () => Promise<BenchTty>, into: number[]) => {
    const tty = await open();
    const begun = performance.now();
    into.push((await tty.wrote(PROMPT)) - begun);
    await leave(tty);
  };
  // In turn, so that no start meets the end of the one before.
  const inTurn = async (into: number[]) => {
    for (let round = 0; round < STARTS; round++) {
      await time(() => floor(place), bare);
      await time(() => workspace(place), into);
    }
  };
  await inTurn(owner);
  await pause(LEFT_MS);
  const running = await startOwner(place.env);
  await pause(SETTLED_MS);
  await inTurn(client);
  await stop(running);
  const base = median(bare.slice(1));
  return [
    bounded("prompt, attached", median(client.slice(1)), base, 140),
    bounded("prompt, as the owner", median(owner.slice(1)), base, 220),
  ];
}

function bounded(name: string, ms: number, base: number, of: number): Row {
  return {
    name,
    value: ms,
    unit: "ms",
    bound: { is: "<=", of, scales: true },
    note: `${(ms / base).toFixed(1)} x a bare terminal program (${base.toFixed(1)} ms)`,
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done)); // its pipes may be held longer by what it has started
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
  await gone;
  clearTimeout(late);
}

async function leave(tty: BenchTty): Promise<void> {
  const gone = tty.wrote("\x1b[?1049l", 5_000).catch(() => 0); // it may have gone already
  tty.keys("C-d");
  await gone;
  tty.close();
}

/** Milliseconds of processor time so far. */
const spentBy = (pid: number): number => (cpuOf(pid) ?? Number.NaN) * 1_000;
const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

let typed = 0;

/** Empties the composer, so that it never comes to its second row. */
async function clear(tty: BenchTty): Promise<void> {
  tty.keys(...Array.from({ length: ROW }, () => "BSpace"));
  await pause(60);
}

/** Type letters one after the other; the time until each is on the screen. */
async function type(tty: BenchTty, count: number, gapMs: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let place = 0; place < count; place++) {
    const letter = ROWS_OF_LETTERS[Math.floor(typed / ROW) % 2]?.[typed % ROW] ?? "";
    const shown = tty.wrote(letter, 5_000);
    const begun = performance.now();
    tty.literal(letter);
    times.push((await shown) - begun);
    typed += 1;
    await pause(gapMs + (place % 7));
    if (typed % ROW === 0) await clear(tty);
  }
  return times;
}

async function asOwner(place: Place): Promise<Row[]> {
  const bare = await measured(await floor(place, "200", "50"), "");
  const own = await measured(await workspace(place), "stream 200 50");
  const quick = await fullSpeed(place);
  return [...keyRows(own, bare), ...quick];
}

interface Measured {
  readonly idle: readonly number[];
  readonly streaming: readonly number[];
  readonly cpu: number;
  readonly bytes: number;
  readonly idleCpu: number;
}

/** Keys while nothing happens, and while an answer comes; then nothing at all for a while. */
async function measured(tty: BenchTty, message: string): Promise<Measured> {
  await ready(tty);
  const idle = await type(tty, 60, 20);
  await clear(tty);
  await pause(200);
  const pid = tty.pid();
  const cpu = spentBy(pid);
  const bytes = tty.bytes;
  tty.literal(message);
  const ended = tty.wrote("THE-END", 30_000);
  ended.catch(() => undefined); // it is awaited below
  await pause(50);
  tty.keys("Enter");
  await pause(300);
  const streaming = await typeUntil(tty, ended);
  const spent = { cpu: spentBy(pid) - cpu, bytes: tty.bytes - bytes };
  await pause(3_000);
  const before = spentBy(pid);
  await pause(IDLE_MS);
  const idleCpu = ((spentBy(pid) - before) / IDLE_MS) * 100;
  await clear(tty); // Ctrl+D leaves an empty composer only; an owner that lost its terminal would serve what is measured next
  await leave(tty);
  return { idle, streaming, ...spent, idleCpu };
}

/** Waits for what is seen last when everything stands, and lets the start settle. */
async function ready(tty: BenchTty): Promise<void> {
  while (!tty.screen().includes(PROMPT)) await pause(20);
  await pause(1_500);
}

async function typeUntil(tty: BenchTty, ended: Promise<number>): Promise<readonly number[]> {
  let over = false;
  const end = ended.then(() => {
    over = true;
  });
  const times: number[] = [];
  while (!over && times.length < 400) times.push(...(await type(tty, 1, 15)));
  await end;
  return times;
}

function keyRows(own: Measured, bare: Measured): Row[] {
  const row = (name: string, share: number, which: "idle" | "streaming", of: number): Row => {
    const ms = at(own[which], share);
    const base = at(bare[which], share);
    return {
      name,
      value: ms,
      unit: "ms",
      bound: { is: "<=", of, scales: true },
      note: `${ms.toFixed(2)} ms, ${(ms / base).toFixed(1)} x a bare terminal program (${base.toFixed(2)} ms)`,
    };
  };
  return [
    row("key to screen, idle, p50", 0.5, "idle", 2),
    row("key to screen, idle, p99", 0.99, "idle", 20),
    row("key to screen, 50 KB/s, p50", 0.5, "streaming", 3),
    row("key to screen, 50 KB/s, p99", 0.99, "streaming", 33),
    {
      name: "processor, 200 KB at 50 KB/s, with owner",
      value: own.cpu / 40,
      unit: "%",
      bound: { is: "<=", of: 25, scales: true },
      note: `${own.cpu} ms / ${bare.cpu} ms`,
    },
    { name: "bytes written per byte streamed", value: own.bytes / 200_000, unit: "x", bound: { is: "<=", of: 4 } },
    {
      name: "idle processor",
      value: own.idleCpu,
      unit: "%",
      bound: { is: "<=", of: 0.5 },
      note: `a bare terminal program ${bare.idleCpu.toFixed(2)} %`,
    },
  ];
}

/** An answer as fast as it comes, painted to its end. */
async function fullSpeed(place: Place): Promise<Row[]> {
  const wall: number[] = [];
  const cpu: number[] = [];
  const bare = await quickly(await floor(place, "200", "0"), undefined, 1);
  const own = await quickly(await workspace(place), "stream 200 0", 3);
  wall.push(...own.map((one) => one.ms));
  cpu.push(...own.map((one) => one.cpu));
  const base = bare[0]?.ms ?? Number.NaN;
  return [
    bounded("200 KB at full speed, painted", median(wall), base, 500),
    {
      name: "200 KB at full speed, processor with owner",
      value: median(cpu),
      unit: "ms",
      bound: { is: "<=", of: 700, scales: true },
    },
  ];
}

async function quickly(
  tty: BenchTty,
  message: string | undefined,
  times: number,
): Promise<readonly { ms: number; cpu: number }[]> {
  await ready(tty);
  const runs: { ms: number; cpu: number }[] = [];
  for (let run = 0; run < times; run++) {
    const pid = tty.pid();
    if (message !== undefined) tty.literal(`${message} ${run}`); // another last word each time: the one before is drawn again, too
    await pause(300);
    const begun = performance.now();
    const before = spentBy(pid);
    const ended = message === undefined ? tty.wrote("THE-END", 30_000) : undefined;
    tty.keys("Enter");
    await (ended ?? shows(tty, `THE-END${run}`));
    const ms = performance.now() - begun;
    await pause(500);
    runs.push({ ms, cpu: spentBy(pid) - before });
  }
  await leave(tty);
  return runs;
}

/** Looked for on the screen: of a last word that stands where the one before stood only the cells that differ are written. */
async function shows(tty: BenchTty, text: string): Promise<void> {
  for (const late = performance.now() + 30_000; !tty.screen().includes(text); await pause(5))
    if (performance.now() > late) throw new Error(`the screen never showed ${text}`);
}

/** With an owner of its own process: what the front end itself needs. */
async function attached(place: Place): Promise<Row[]> {
  await mkdir(join(place.home, "logs"), { recursive: true });
  const line = renderLine({
    at: Date.now(),
    level: "info",
    component: "bench",
    message: "a line of the log",
    facts: {},
  });
  await appendFile(join(place.home, "logs", "agent.log"), line.repeat(LOG_LINES));
  await pause(LEFT_MS);
  const owner = await startOwner(place.env);
  const tty = await workspace(place);
  await ready(tty);
  const pid = tty.pid();
  const first = memoryOf(pid) ?? Number.NaN;
  tty.literal("stream 2000");
  tty.keys("Enter");
  await shows(tty, "THE-END");
  await pause(2_000);
  const memory = memoryOf(pid) ?? Number.NaN;
  const pages = await paging(tty);
  tty.keys("i");
  await leave(tty);
  await stop(owner);
  return [
    {
      name: "memory of the front end after 2 MB",
      value: memory,
      unit: "MB",
      bound: { is: "<=", of: 90 },
      note: `${first.toFixed(0)} MB at first`,
    },
    {
      name: "log pane, 100,000 lines, page p95",
      value: at(pages, 0.95),
      unit: "ms",
      bound: { is: "<=", of: 33, scales: true },
    },
  ];
}

/** Pages up through the log. */
async function paging(tty: BenchTty): Promise<readonly number[]> {
  tty.keys("F5");
  await pause(1_000);
  const times: number[] = [];
  for (let page = 0; page < 60; page++) {
    const shown = tty.wroteAny(2_000);
    const begun = performance.now();
    tty.keys("PPage");
    const seen = await shown.catch(() => undefined);
    if (seen === undefined) break; // the first line is reached
    times.push(seen - begun);
    await pause(10);
  }
  return times;
}
