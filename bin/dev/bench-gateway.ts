import { type ChildProcess, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Crowd } from "../../fixtures/crowds/crowd.js";
import { type Ear, listen } from "../../fixtures/crowds/ear.js";
import { CROWDS } from "../../fixtures/crowds/index.gen.js";
import { type Rush, startRush } from "../../fixtures/crowds/rush.js";
import { askedOf, type ScriptProgram } from "../../fixtures/servers/model/script.js";
import { echoScript } from "../../fixtures/servers/model/scripts.js";
import type { Client } from "../../lib/backplane/client.js";
import type { GatewayStatus } from "../../lib/contracts/gateway/api.js";
import { type BenchWorld, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { AGENT, ended, pause } from "./drive.js";
import { type Inspected, inspect } from "./inspect.js";
import { median, type Row } from "./measure.js";
import { cpuOf, memoryOf, shareOf } from "./processes.js";

const RATE = 500;
const LOAD_MS = 30_000;
const WARM_MS = 4_000;
const DUPLICATES = 0.6;
const TEXTS = 0.05;
/** Numbers of people: those whose turn never ends, those who ask how it is, and those who make the load. */
const WORKED = 5;
const ASKING = 4;
const PEOPLE = 100;
const OPEN = 100;
const LATE_MS = 20_000;
/** Share of a processor from which on waits are judged. */
const ENOUGH = 0.5;
const WORK = "work on this";

/** A model that echoes, and never comes to an end with the work of those who will stop it. */
const rush: ScriptProgram = (request, turn) =>
  askedOf(request).includes(WORK) ? { text: "never", hold: "for ever" } : echoScript(request, turn);

interface Scene {
  readonly world: BenchWorld;
  readonly crowds: readonly Crowd[];
  readonly client: Client;
  readonly owner: Inspected;
  readonly pid: number;
  readonly ear: Ear;
}

/** All platforms at once under commands, texts and events that come again and again: what people wait for, what is lost, and what it costs. */
export async function benchGateway(args: readonly string[]): Promise<Row[]> {
  const world = await openWorld("rush", { rush });
  const crowds = await Promise.all(CROWDS.map((start) => start()));
  let gateway: ChildProcess | undefined;
  try {
    const env = { GATEWAY_ALLOW_ALL_USERS: "true", ...Object.assign({}, ...crowds.map((crowd) => crowd.env)) };
    const lines = Object.entries(env).map(([name, value]) => `${name}='${value}'\n`);
    await writeFile(join(world.home, ".env"), lines.join(""), { mode: 0o600 });
    const command = ["--inspect=127.0.0.1:0", AGENT, "gateway", "run"];
    gateway = spawn(process.execPath, command, {
      env: world.env,
      cwd: world.home,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const owner = await inspect(gateway);
    const client = await connected(world, crowds);
    return await underEar({ world, crowds, client, owner, pid: gateway.pid ?? 0 }, args);
  } finally {
    if (gateway !== undefined && gateway.exitCode === null) {
      gateway.kill("SIGKILL");
      await ended(gateway);
    }
    for (const crowd of crowds) await crowd.close();
    await closeWorld(world);
  }
}

async function underEar(scene: Omit<Scene, "ear">, args: readonly string[]): Promise<Row[]> {
  const ear = listen(scene.crowds);
  try {
    const profile = args.find((arg) => arg.startsWith("profile="))?.slice("profile=".length);
    return await measure({ ...scene, ear }, profile);
  } finally {
    ear.close();
    scene.client.close();
    scene.owner.close();
  }
}

const statusOf = (client: Client) => client.call<GatewayStatus>("gateway.status", {});

async function connected(world: BenchWorld, crowds: readonly Crowd[]): Promise<Client> {
  const late = performance.now() + LATE_MS;
  let client: Client | undefined;
  for (;;) {
    client ??= await clientOf(world).catch(() => undefined);
    const platforms = client === undefined ? {} : (await statusOf(client)).platforms;
    const open = crowds.filter(({ tag }) => platforms[tag]?.state !== "connected");
    if (client !== undefined && open.length === 0) {
      for (const { tag, listens } of crowds) listens?.(platforms[tag]?.listen ?? "");
      return client;
    }
    if (performance.now() > late)
      throw new Error(`not connected: ${open.map(({ tag }) => tag).join(", ")} ${JSON.stringify(platforms)}`);
    await pause(100);
  }
}

/** How long a person waits for an answer that begins with `start`. */
async function wait({ ear }: Scene, crowd: Crowd, { who, text, start }: Asked): Promise<number> {
  const heard = ear.hears(crowd, who, { fits: (seen) => seen.startsWith(start), limitMs: LATE_MS });
  crowd.say(who, text);
  return (await heard) ?? LATE_MS;
}

interface Asked {
  readonly who: number;
  readonly text: string;
  readonly start: string;
}

/** How long an answer over a platform took. */
interface Waited {
  readonly tag: string;
  readonly ms: number;
}

interface Taken {
  readonly asked: Waited[];
  readonly stopped: Waited[];
  readonly inbox: number[];
  readonly outbox: number[];
}

async function measure(scene: Scene, profile: string | undefined): Promise<Row[]> {
  const { crowds, owner, pid, ear, client } = scene;
  for (const crowd of crowds) await wait(scene, crowd, { who: WORKED, text: "/status", start: "" });
  const people = { people: PEOPLE, first: WORKED + ASKING, open: () => OPEN * share };
  const lately = shareOf(pid);
  const whole = shareOf(pid);
  let share = 1;
  const paced = setInterval(() => {
    share = (share + lately()) / 2;
  }, 500);
  const load = startRush(crowds, ear, {
    perSecond: () => RATE * share,
    duplicates: DUPLICATES,
    texts: TEXTS,
    ...people,
  });
  await pause(WARM_MS);
  const heap = await owner.heap();
  const early = {
    memory: memoryOf(pid) ?? Number.NaN,
    cpu: cpuOf(pid) ?? Number.NaN,
    events: load.sent.events,
    at: performance.now(),
  };
  whole();
  const profiled = profile === undefined ? undefined : await owner.profile(profile);
  const taken = await underLoad(scene);
  const seconds = (performance.now() - early.at) / 1000;
  const events = load.sent.events - early.events;
  const cpu = (cpuOf(pid) ?? Number.NaN) - early.cpu;
  await profiled?.();
  clearInterval(paced);
  const had = whole();
  load.stop();
  const late = await settled(scene, load);
  const after = {
    memory: memoryOf(pid) ?? Number.NaN,
    peak: memoryOf(pid, "peak") ?? Number.NaN,
    heap: await owner.heap(),
  };
  const status = await statusOf(client);
  return [
    {
      name: `events of ${crowds.length} platforms at once`,
      value: events / seconds / had,
      unit: "/s",
      bound: { is: ">=", of: RATE * 0.9 },
      note: `${(events / seconds).toFixed(0)} /s; the owner had a processor ${(had * 100).toFixed(0)} % of the time in which it needed one`,
    },
    waits("/status under that load", taken.asked, had),
    waits("/stop of a turn whose model never answers", taken.stopped, had),
    ...answers(scene, load),
    {
      name: "most messages that waited at once",
      value: Math.max(...taken.inbox),
      unit: "messages",
      bound: { is: "<=", of: RATE },
    },
    {
      name: "most answers that waited at once",
      value: Math.max(...taken.outbox),
      unit: "messages",
      bound: { is: "<=", of: RATE },
    },
    { name: "all answered after the last event", value: late, unit: "ms", bound: { is: "<=", of: 5_000 } },
    {
      name: "sends of which nobody knows whether they arrived",
      value: status.outbox.unknown,
      unit: "messages",
      bound: { is: "<=", of: 0 },
    },
    { name: "sends that failed", value: status.outbox.failed, unit: "messages", bound: { is: "<=", of: 0 } },
    {
      name: "objects more after the load than in its beginning",
      value: after.heap - heap,
      unit: "MB",
      bound: { is: "<=", of: 30 },
      note: `${heap.toFixed(0)} / ${after.heap.toFixed(0)} MB`,
    },
    {
      name: "memory of the owner at most",
      value: after.peak,
      unit: "MB",
      note: `${early.memory.toFixed(0)} / ${after.memory.toFixed(0)} MB in the beginning and the end; heard ${ear.total()}`,
    },
    {
      name: "processor time of the owner",
      value: (cpu / seconds) * 100,
      unit: "%",
      note: `${((cpu / events) * 1000).toFixed(2)} ms an event`,
    },
  ];
}

/** People ask and stop while the load runs, and what waits is looked at each second. */
async function underLoad(scene: Scene): Promise<Taken> {
  const { crowds, client } = scene;
  const taken: Taken = { asked: [], stopped: [], inbox: [], outbox: [] };
  const rounds = Math.floor(LOAD_MS / 1000);
  const begun = performance.now();
  const under: Promise<unknown>[] = [];
  for (let round = 0; round < rounds; round++) {
    const asked = { who: WORKED + (round % ASKING), text: "/status", start: "" };
    for (const crowd of crowds)
      under.push(wait(scene, crowd, asked).then((ms) => taken.asked.push({ tag: crowd.tag, ms })));
    const every = Math.floor(rounds / WORKED);
    const who = Math.floor(round / every);
    if (round % every === 0 && who < WORKED) for (const crowd of crowds) crowd.say(who, WORK);
    if (round % every === every - 1) {
      const stop = { who, text: "/stop", start: "⚡" };
      for (const crowd of crowds)
        under.push(wait(scene, crowd, stop).then((ms) => taken.stopped.push({ tag: crowd.tag, ms })));
    }
    const { inbox, outbox } = await statusOf(client);
    taken.inbox.push(inbox.waiting);
    taken.outbox.push(outbox.pending);
    await pause(begun + (round + 1) * 1000 - performance.now());
  }
  await Promise.all(under);
  return taken;
}

/** On a machine of its own: a wait of an owner while others have the processor does not count. */
function waits(name: string, waited: readonly Waited[], had: number): Row {
  const values = waited.map(({ ms }) => ms);
  const tags = [...new Set(waited.map(({ tag }) => tag))];
  const middles = tags.map(
    (tag) => `${tag} ${median(waited.filter((one) => one.tag === tag).map(({ ms }) => ms)).toFixed(0)}`,
  );
  const sorted = values.toSorted((a, b) => a - b);
  const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
  const most = Math.max(...values);
  const note = `the slowest of ${values.length} took ${most.toFixed(0)} ms; p50 ${median(values).toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (${middles.join(", ")})`;
  const row: Row = { name, value: most * had, unit: "ms", note };
  // Each answer passes several threads and processes: where all of them stand in line for a processor the figure tells of the line.
  return had < ENOUGH
    ? { ...row, note: `${note}; the machine is too busy to judge` }
    : { ...row, bound: { is: "<=", of: 1_000 } };
}

/** Milliseconds until nothing comes any more. */
async function settled({ ear }: Scene, { commands, texts }: Rush): Promise<number> {
  const begun = performance.now();
  const silent = () => texts.some(({ crowd, text }) => !crowd.heard(0).some((one) => one.text.includes(text)));
  const open = () => commands.some(({ crowd, who, count }) => ear.count(crowd, who) < count) || silent();
  while (open() && performance.now() - begun < LATE_MS) await pause(100);
  const late = performance.now() - begun;
  // What would be there a second time comes late.
  for (let before = -1; before !== ear.total(); await pause(1_000)) before = ear.total();
  return late;
}

/** What is lost and what came twice. */
function answers({ ear, crowds }: Scene, { commands, texts, sent }: Rush): Row[] {
  const over = new Map(commands.map((one) => [one, ear.count(one.crowd, one.who) - one.count]));
  const said = new Map(crowds.map((crowd) => [crowd, crowd.heard(0).map(({ text }) => text)]));
  const times = texts.map(({ crowd, text }) => (said.get(crowd) ?? []).filter((one) => one.includes(text)).length);
  const lost = [...over.values()].reduce((sum, n) => sum + Math.max(0, -n), 0) + times.filter((n) => n === 0).length;
  const doubled = [...over.values()].reduce((sum, n) => sum + Math.max(0, n), 0) + times.filter((n) => n > 1).length;
  const note = `of ${sent.commands} commands and ${sent.texts} texts, with ${sent.duplicates} duplicates`;
  return [
    { name: "messages without an answer", value: lost, unit: "messages", bound: { is: "<=", of: 0 }, note },
    { name: "messages answered more than once", value: doubled, unit: "messages", bound: { is: "<=", of: 0 } },
  ];
}
