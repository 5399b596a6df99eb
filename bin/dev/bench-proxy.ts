import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { storeLogin } from "../../fixtures/worlds/login-file.js";
import { AGENT, ended, freshEnv } from "./drive.js";
import { median, type Row } from "./measure.js";

/** Streams that are open at once, and how often each side has its turn. */
const STREAMS = 50;
const ROUNDS = 9;
/** One answer of the server: events with a pause between them, as a model writes. */
const EVENTS = 20;
const PAUSE_MS = 20;
const SERVER = join("bin", "dev", "floors", "stream.mjs");
const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x".repeat(4000) }] });
const LOGIN_ENDS = "2099-01-01T00:00:00.000Z";

/** What the proxy adds to a request: the same streams straight to a server and through the proxy, in turns, with fifty open at once. */
export async function benchProxy(): Promise<Row[]> {
  const home = await mkdtemp(join(tmpdir(), "agent-bench-proxy-"));
  const stdio: StdioOptions = ["ignore", "pipe", "ignore"];
  const server = spawn(process.execPath, [SERVER, String(EVENTS), String(PAUSE_MS)], { stdio });
  const direct = `http://127.0.0.1:${await told(server, "")}`;
  storeLogin(home, { provider: "subscription", bearer: "bench", baseUrl: direct, expiresAt: LOGIN_ENDS });
  const proxy = spawn(process.execPath, [AGENT, "proxy", "start", "--port", "0"], { env: freshEnv(home), stdio });
  try {
    return await compare(direct, await told(proxy, "PROXY_READY url="));
  } finally {
    await Promise.all([end(proxy), end(server)]);
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** Times of the requests of one side. */
interface Times {
  /** To the end of the answer, the pauses of the server left out. */
  readonly whole: number[];
  /** To the first event. */
  readonly first: number[];
}

/** The quietest round counts for each side: on a machine that does something else at the same time, the others show what that costs. */
async function compare(direct: string, through: string): Promise<Row[]> {
  const rounds: { readonly direct: Times; readonly through: Times }[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const both = { direct: await batch(direct), through: await batch(through) };
    if (round > 0) rounds.push(both); // the first only warms up
  }
  const row = (what: keyof Times, part: string, at: (values: readonly number[]) => number, of?: number): Row => {
    const own = rounds.map(({ through: times }) => at(times[what]));
    const floor = rounds.map(({ direct: times }) => at(times[what]));
    const value = Math.min(...own) - Math.min(...floor);
    const middle = (median(own) - median(floor)).toFixed(2);
    const note = `${Math.min(...own).toFixed(2)} / ${Math.min(...floor).toFixed(2)} ms; in the median of ${ROUNDS} rounds ${middle} ms`;
    const name = `${what === "whole" ? "added to a stream" : "added to its first event"}, ${part}`;
    return { name, value, unit: "ms", note, ...(of !== undefined && { bound: { is: "<=", of } as const }) };
  };
  return [
    row("whole", "p50", median, 2),
    row("whole", "p99", p99, 10),
    row("first", "p50", median),
    row("first", "p99", p99),
  ];
}

const p99 = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

/** Fifty clients, begun one after the other over one pause, each of which has four answers in a row. */
async function batch(url: string): Promise<Times> {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: STREAMS });
  const times: Times = { whole: [], first: [] };
  const client = async (n: number) => {
    await sleep((n / STREAMS) * PAUSE_MS * 4);
    for (let turn = 0; turn < 4; turn++) {
      const { first, whole } = await stream(url, agent);
      times.first.push(first);
      times.whole.push(whole);
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, (_, n) => client(n)));
  agent.destroy();
  return times;
}

/** One streamed chat. The server says at its end how long it took on its own side. */
function stream(url: string, agent: Agent): Promise<{ first: number; whole: number }> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let first = Number.NaN;
    let tail = "";
    const headers = {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(BODY),
      authorization: "Bearer x",
    };
    const outgoing = request(`${url}/chat/completions`, { method: "POST", agent, headers }, (incoming) => {
      incoming.on("data", (piece: Buffer) => {
        if (Number.isNaN(first)) first = performance.now() - began;
        tail = piece.toString("latin1");
      });
      incoming.on("end", () => {
        const own = Number(/took ([\d.]+)/.exec(tail)?.[1]);
        if (incoming.statusCode !== 200 || Number.isNaN(own))
          reject(new Error(`status ${incoming.statusCode}: ${tail.slice(-200)}`));
        else resolve({ first, whole: performance.now() - began - own });
      });
      incoming.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(BODY);
  });
}

/** The rest of the first line of a program's output that begins with `mark`. */
function told(child: ChildProcess, mark: string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout)
      createInterface({ input: child.stdout }).on(
        "line",
        (line) => line.startsWith(mark) && resolve(line.slice(mark.length)),
      );
    child.once("exit", (code) => reject(new Error(`${child.spawnargs.slice(1).join(" ")} ended with ${code}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  const gone = ended(child);
  child.kill("SIGTERM");
  await gone;
}
