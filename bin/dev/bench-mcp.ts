import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fixture, installed, known, type McpWorld, mcpWorld } from "../../fixtures/mcp/world.js";
import { type BenchWorld, bringOwner, closeWorld, openWorld } from "./bench-world.js";
import { runAgent } from "./drive.js";
import { median, type Row } from "./measure.js";

const SERVERS = 20;
const ROUNDS = 7;
const WAIT = { config: { "mcp.initial_wait_seconds": 60 } };

/** What MCP servers cost before they are used, and when they are. */
export async function benchMcp(): Promise<Row[]> {
  return [...(await configured()), await preparing(), await firstCall(), await oneBatch()];
}

/** 20 known servers in an owner: processes that it starts, and what its requests carry of them. */
async function configured(): Promise<Row[]> {
  const world = await openWorld("echo");
  try {
    const without = await requestChars(world);
    const counter = join(world.home, "starts");
    await writeFile(counter, "");
    const entry = fixture("hostile.mjs", `--counter=${counter}`);
    const entries = Object.fromEntries(Array.from({ length: SERVERS }, (_, n) => [`server${n}`, entry]));
    await appendFile(
      join(world.home, "config.yaml"),
      `mcp_servers: ${JSON.stringify(entries)}\nmcp: {initial_wait_seconds: 60}\n`,
    );
    await requestChars(world); // now they are known
    await writeFile(counter, "");
    await bringOwner(world);
    const chars = await requestChars(world);
    const starts = (await readFile(counter, "utf8")).split("\n").length - 1;
    return [
      {
        name: `${SERVERS} known servers: processes started`,
        value: starts,
        unit: "processes",
        bound: { is: "<=", of: 0 },
      },
      {
        name: `${SERVERS} known servers: tokens of the first request`,
        value: Math.round((chars - without) / 4),
        unit: "tokens",
        bound: { is: "<=", of: 1_500 },
      },
    ];
  } finally {
    await closeWorld(world);
  }
}

/** Characters of the tools in the request of one prompt. */
async function requestChars(world: BenchWorld): Promise<number> {
  const ran = await runAgent(["-z", "hello"], { env: world.env, cwd: world.home });
  if (ran.code !== 0) throw new Error(`exit ${ran.code}: ${ran.stderr}`);
  return JSON.stringify(world.model.chats().at(-1)?.body?.tools ?? []).length;
}

/** Worlds of this process, each let go at the end of its use. */
async function inWorld<T>(
  servers: Readonly<Record<string, unknown>>,
  use: (world: McpWorld) => Promise<T>,
): Promise<T> {
  const ends: (() => unknown)[] = [];
  const world = await mcpWorld({ after: (end) => void ends.push(() => (end as () => unknown)()) }, servers, WAIT); // hooks of a world take nothing
  try {
    return await use(world);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

/** What the first request of a session waits for 20 known servers: reading what is known of them and making their tools. */
async function preparing(): Promise<Row> {
  const entries = Object.fromEntries(Array.from({ length: SERVERS }, (_, n) => [`s${n}`, fixture("hostile.mjs")]));
  const times = await inWorld(entries, async (first) => {
    await known(first);
    await first.pool.stop();
    const taken: number[] = [];
    for (let n = 0; n <= ROUNDS; n++) {
      const began = performance.now();
      const world = await first.again(entries);
      await known(world);
      world.names();
      if (n > 0) taken.push(performance.now() - began);
      await world.pool.stop();
    }
    return taken;
  });
  return {
    name: `${SERVERS} known servers: first request later by`,
    value: median(times),
    unit: "ms",
    bound: { is: "<=", of: 5, scales: true },
  };
}

/** The first call of a known server beside the same exchange with its program by hand. */
async function firstCall(): Promise<Row> {
  const entry = fixture("hostile.mjs");
  const servers = { one: entry };
  const pairs = await inWorld(servers, async (first) => {
    await known(first);
    await first.pool.stop();
    const taken: { pool: number; bare: number }[] = [];
    for (let n = 0; n <= ROUNDS; n++) {
      const bare = await bareCall(entry);
      const world = await first.again(servers);
      await known(world);
      const began = performance.now();
      await world.json("mcp_one_fine");
      taken.push({ bare, pool: performance.now() - began });
      await world.pool.stop();
    }
    return taken.slice(1);
  });
  const over = median(pairs.map(({ pool, bare }) => pool - bare));
  return {
    name: "first call / the server's own start and call: later by",
    value: over,
    unit: "ms",
    bound: { is: "<=", of: 50, scales: true },
    note: `${median(pairs.map(({ pool }) => pool)).toFixed(0)} and ${median(pairs.map(({ bare }) => bare)).toFixed(0)} ms`,
  };
}

/** Start the program, agree on a revision and call one tool: what no client can save. */
async function bareCall({
  command,
  args,
}: {
  readonly command: string;
  readonly args: readonly string[];
}): Promise<number> {
  const began = performance.now();
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "ignore"] });
  const lines = createInterface({ input: child.stdout });
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "bench", version: "1" };
  send({ id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo } });
  await once(lines, "line");
  send({ method: "notifications/initialized" });
  send({ id: 2, method: "tools/call", params: { name: "fine", arguments: {} } });
  await once(lines, "line");
  const taken = performance.now() - began;
  child.kill();
  return taken;
}

/** Three calls of 2 s at once. */
async function oneBatch(): Promise<Row> {
  const servers = { every: { ...installed("everything", "stdio"), supports_parallel_tool_calls: true } };
  const taken = await inWorld(servers, async (world) => {
    await known(world);
    const began = performance.now();
    const call = () => world.call("mcp_every_trigger_long_running_operation", { duration: 2, steps: 2 });
    await Promise.all([call(), call(), call()]);
    return performance.now() - began;
  });
  return { name: "three calls of 2 s at once", value: taken, unit: "ms", bound: { is: "<=", of: 2_200, scales: true } };
}
