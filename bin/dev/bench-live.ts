import { readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import WebSocket from "ws";
import type { Client } from "../../lib/backplane/client.js";
import { type BenchWorld, bringOwner, clientOf, closeWorld, openWorld } from "./bench-world.js";
import { pause } from "./drive.js";
import type { Row } from "./measure.js";
import { cpuOf, memoryOf } from "./processes.js";

const WATCHERS = 200;
const EVENTS_A_SECOND = 100;
const MEASURED_MS = 10_000;
const SETTLE_MS = 3_000;
const TOKEN = "bench-token-bench-token-bench-token";

/** What watchers of a board cost the owner, and how fast they are notified. The watchers live in this process, the owner in its own. */
export async function benchLive(): Promise<Row[]> {
  const made = await openWorld("text");
  const world: BenchWorld = { ...made, env: { ...made.env, AGENT_DASHBOARD_SESSION_TOKEN: TOKEN } };
  const port = await freePort();
  const dashboard = `dashboard:\n  autostart: true\n  port: ${port}\n  max_clients: ${WATCHERS + 1}\n`;
  await writeFile(
    join(world.home, "config.yaml"),
    `model:\n  provider: offline\n${dashboard}kanban:\n  dispatch_in_gateway: false\n`,
  );
  try {
    await bringOwner(world);
    return await measure(world, `http://127.0.0.1:${port}`);
  } finally {
    await closeWorld(world);
  }
}

async function measure(world: BenchWorld, url: string): Promise<Row[]> {
  const client = await clientOf(world);
  const pid = world.owner?.pid ?? 0;
  const { id } = await client.call<{ id: string }>("kanban.create", { title: "watched", triage: true });
  const load = startLoad(client, id);
  await pause(SETTLE_MS);
  const before = memoryOf(pid) ?? 0;
  const watchers = await openWatchers(url);
  await pause(SETTLE_MS);
  const began = load.made();
  watchers.begin();
  const watched = await share(pid, () => pause(MEASURED_MS));
  const rate = (load.made() - began) / (MEASURED_MS / 1000);
  const after = memoryOf(pid) ?? 0;
  const late = watchers.end(load.sentAt);
  await pause(SETTLE_MS);
  // Behind the other: the longer a process runs, the less the same work costs it.
  const alone = await share(pid, () => pause(MEASURED_MS));
  await load.stop();
  client.close();
  return [
    {
      name: `an owner with ${WATCHERS} watchers and ${EVENTS_A_SECOND} changes a second`,
      value: watched,
      unit: "%",
      bound: { is: "<=", of: 30 },
      note: `of a core; ${alone.toFixed(1)} % without watchers`,
    },
    { name: "events of that time", value: rate, unit: "/s", bound: { is: ">=", of: EVENTS_A_SECOND * 0.9 } },
    {
      name: "from asking for a change to the frame, 95 of 100",
      value: late.p95,
      unit: "ms",
      bound: { is: "<=", of: 200 },
      note: `median ${late.p50.toFixed(0)} ms, ${late.count} looked at`,
    },
    { name: "events that a watcher missed or got twice", value: late.wrong, unit: "x", bound: { is: "<=", of: 0 } },
    {
      name: "memory of a watcher in the owner",
      value: Math.max(0, after - before) / WATCHERS,
      unit: "MB",
      note: `${Math.round(((after - before) * 1024) / WATCHERS)} kB`,
    },
  ];
}

interface Load {
  made(): number;
  /** When the change was asked for that made this event's comment. */
  readonly sentAt: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** Comments, so many a second; one that comes late is followed by the next at once. */
function startLoad(client: Client, id: string): Load {
  const sentAt = new Map<string, number>();
  const open = new Set<Promise<unknown>>();
  let made = 0;
  let stopped = false;
  const work = async () => {
    const started = performance.now();
    for (let n = 0; !stopped; n++) {
      const due = started + (n * 1000) / EVENTS_A_SECOND;
      const early = due - performance.now();
      if (early > 1) await pause(early);
      const asked = performance.now();
      const call = client
        .call<{ comment: { id: number } }>("kanban.comment", { id, text: [`c${n}`] })
        .then(({ comment }) => {
          sentAt.set(String(comment.id), asked);
          made += 1;
        });
      open.add(call);
      call.finally(() => open.delete(call)).catch(() => undefined);
    }
    await Promise.all(open);
  };
  const working = work();
  return {
    made: () => made,
    sentAt,
    stop: async () => {
      stopped = true;
      await working;
    },
  };
}

interface Watchers {
  begin(): void;
  end(sentAt: ReadonlyMap<string, number>): {
    readonly p50: number;
    readonly p95: number;
    readonly count: number;
    readonly wrong: number;
  };
}

/** Every twentieth is looked into; the others only take what comes. */
async function openWatchers(url: string): Promise<Watchers> {
  const seen: { readonly comment: string; readonly at: number }[] = [];
  let counting = false;
  let wrong = 0;
  const sockets: WebSocket[] = [];
  for (let n = 0; n < WATCHERS; n++) {
    const answer = await fetch(`${url}/api/auth/ws-ticket`, {
      method: "POST",
      headers: { authorization: `Bearer ${TOKEN}` },
    });
    const { ticket } = (await answer.json()) as { ticket: string }; // the answer of the dashboard
    const ws = new WebSocket(`${url.replace("http", "ws")}/api/plugins/kanban/events?ticket=${ticket}`);
    await new Promise((resolve, reject) => ws.once("open", resolve).once("error", reject));
    sockets.push(ws);
    let cursor: number | undefined;
    ws.on("message", (data) => {
      if (n % 20 > 0) return;
      const at = performance.now();
      const frame = JSON.parse(String(data)) as {
        cursor: number;
        events?: { id: number; payload: { comment_id?: number } }[];
      }; // the form of the stream
      for (const { id, payload } of frame.events ?? []) {
        if (cursor !== undefined && id !== cursor + 1) wrong += 1;
        cursor = id;
        if (counting) seen.push({ comment: String(payload.comment_id), at });
      }
    });
  }
  return {
    begin: () => {
      counting = true;
    },
    end: (sentAt) => {
      for (const ws of sockets) ws.terminate();
      const times = seen
        .flatMap(({ comment, at }) => (sentAt.has(comment) ? [at - (sentAt.get(comment) ?? at)] : []))
        .toSorted((a, b) => a - b);
      const at = (part: number) => times[Math.floor(times.length * part)] ?? Number.NaN;
      return { p50: at(0.5), p95: at(0.95), count: times.length, wrong };
    },
  };
}

/** Share of a core that a process used meanwhile, in percent. */
async function share(pid: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  const before = secondsOf(pid);
  await work();
  const after = secondsOf(pid);
  if (before === undefined || after === undefined) throw new Error("the system does not tell what a process uses");
  return ((after - before) * 1000 * 100) / (performance.now() - began);
}

/** Processor time of a process and its threads so far. The system's ticks miss work that is done in many small pieces; its scheduler counts all of it. */
function secondsOf(pid: number): number | undefined {
  try {
    const tasks = readdirSync(`/proc/${pid}/task`);
    const spent = tasks.map((task) =>
      Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]),
    );
    return spent.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1e9;
  } catch {
    return cpuOf(pid); // no such file on this system, or a thread that has just ended
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}
