import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, createServer, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { storeLogin } from "../../fixtures/login-file.js";
import { AGENT, ended, freshEnv } from "./drive.js";
import { median, type Row } from "./measure.js";

/** Streams that are open at once, and how often each side has its turn. */
const STREAMS = 50;
const ROUNDS = 6;
/** One answer: events with a pause between them, as a model writes. */
const EVENTS = 20;
const PAUSE_MS = 20;
const EVENT = `data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"${"word ".repeat(8)}"}}]}\n\n`;
const BODY = JSON.stringify({ model: "m", stream: true, messages: [{ role: "user", content: "x".repeat(4000) }] });
const LOGIN_ENDS = "2099-01-01T00:00:00.000Z";

/** What the proxy adds to a request: the same streams straight to a server and through the proxy, in turns, with fifty open at once. */
export async function benchProxy(): Promise<Row[]> {
  const upstream = await startServer();
  const home = await mkdtemp(join(tmpdir(), "agent-bench-proxy-"));
  storeLogin(home, { provider: "subscription", bearer: "bench", baseUrl: upstream.url, expiresAt: LOGIN_ENDS });
  const proxy = spawn(process.execPath, [AGENT, "proxy", "start", "--port", "0"], {
    env: freshEnv(home),
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const through = await readyUrl(proxy);
    return await compare(upstream.url, through);
  } finally {
    const gone = ended(proxy);
    proxy.kill("SIGTERM");
    await gone;
    upstream.server.closeAllConnections();
    upstream.server.close();
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

async function compare(direct: string, through: string): Promise<Row[]> {
  const sides = { direct: { whole: [], first: [] } as Times, through: { whole: [], first: [] } as Times };
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, url] of [
      ["direct", direct],
      ["through", through],
    ] as const) {
      const times = await batch(url);
      if (round === 0) continue; // it only warms up
      sides[name].whole.push(...times.whole);
      sides[name].first.push(...times.first);
    }
  }
  const row = (what: keyof Times, part: string, at: (values: readonly number[]) => number, of?: number): Row => {
    const [own, floor] = [at(sides.through[what]), at(sides.direct[what])];
    const note = `${own.toFixed(2)} / ${floor.toFixed(2)} ms, ${sides.through[what].length} requests each`;
    const name = `${what === "whole" ? "added to a stream" : "added to its first event"}, ${part}`;
    return { name, value: own - floor, unit: "ms", note, ...(of !== undefined && { bound: { is: "<=", of } as const }) };
  };
  return [row("whole", "p50", median, 2), row("whole", "p99", p99, 10), row("first", "p50", median), row("first", "p99", p99)];
}

const p99 = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Number.NaN;

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
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(BODY), authorization: "Bearer x" };
    const outgoing = request(`${url}/chat/completions`, { method: "POST", agent, headers }, (incoming) => {
      incoming.on("data", (piece: Buffer) => {
        if (Number.isNaN(first)) first = performance.now() - began;
        tail = piece.toString("latin1");
      });
      incoming.on("end", () => {
        const own = Number(/took ([\d.]+)/.exec(tail)?.[1]);
        if (incoming.statusCode !== 200 || Number.isNaN(own)) reject(new Error(`status ${incoming.statusCode}: ${tail.slice(-200)}`));
        else resolve({ first, whole: performance.now() - began - own });
      });
      incoming.on("error", reject);
    });
    outgoing.on("error", reject);
    outgoing.end(BODY);
  });
}

/** Streams events with pauses, and tells in the last one how long that took. */
async function startServer(): Promise<{ readonly url: string; readonly server: Server }> {
  const server = createServer({ keepAliveTimeout: 60_000 }, (incoming, response) => {
    incoming.resume();
    incoming.once("end", () => {
      const began = performance.now();
      let sent = 0;
      response.writeHead(200, { "content-type": "text/event-stream" });
      const next = () => {
        sent += 1;
        response.write(EVENT);
        if (sent < EVENTS) setTimeout(next, PAUSE_MS);
        else response.end(`: took ${performance.now() - began}\n\n`);
      };
      next();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return { server, url: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}` };
}

function readyUrl(proxy: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (proxy.stdout)
      createInterface({ input: proxy.stdout }).on("line", (line) => {
        const url = /^PROXY_READY url=(.+)$/.exec(line)?.[1];
        if (url !== undefined) resolve(url);
      });
    proxy.once("exit", (code) => reject(new Error(`the proxy ended with ${code}`)));
  });
}
