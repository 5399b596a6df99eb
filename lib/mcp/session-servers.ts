import { runCleanupsTogether } from "../base/async/cleanup.js";
import { createRunningWork } from "../base/async/running-work.js";
import type { SessionId } from "../base/units.js";
import type { BringServers, BroughtServer } from "../contracts/mcp/brought.js";
import { readMcpEntry } from "../contracts/mcp/entry.js";
import { MCP_SERVERS } from "../contracts/mcp/keys.js";
import type { ToolEntry } from "../tools/core/entry.js";
import type { McpPoolParts } from "./parts.js";
import { createPool, type McpPool } from "./pool.js";

/** The servers that the front ends of an owner have brought. */
export interface SessionServers extends BringServers {
  tools(lineage: SessionId): readonly ToolEntry[];
  /** Until those of every lineage are known. */
  ready(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

interface Brought {
  /** Absent: none of its servers can be used. */
  readonly pool?: McpPool;
  readonly refused: readonly BroughtServer[];
  end(): Promise<void>;
}

/** @param isTaken a server of the settings has this name */
export function createSessionServers(parts: McpPoolParts, isTaken: (name: string) => boolean): SessionServers {
  const all = new Map<SessionId, Brought>();
  const ending = createRunningWork();
  const start = async (lineage: SessionId, given: ReadonlyMap<string, unknown>, gone: AbortSignal) => {
    await all.get(lineage)?.end();
    const checked = [...given].map(([name, entry]) => ({ name, entry, problem: problemOf(name, entry, isTaken) }));
    const refused = checked.flatMap(({ name, problem }) => (problem === null ? [] : [{ name, problem }]));
    if (checked.length === 0 || gone.aborted) return refused;
    const usable = checked.filter(({ problem }) => problem === null).map(({ name, entry }) => [name, entry] as const);
    const pool = usable.length === 0 ? undefined : createPool(partsFor(parts, Object.fromEntries(usable)));
    const end = async () => {
      gone.removeEventListener("abort", onGone);
      if (all.get(lineage) === brought) all.delete(lineage);
      await pool?.stop();
    };
    const onGone = () => {
      ending
        .add(end())
        .catch((error: unknown) =>
          parts.log.warning("MCP servers of a session were not stopped", { error: String(error) }),
        );
    };
    const brought: Brought = { ...(pool === undefined ? {} : { pool }), refused, end };
    gone.addEventListener("abort", onGone, { once: true });
    all.set(lineage, brought);
    await pool?.reload();
    return refused;
  };
  return {
    start,
    status: async (lineage, signal) => {
      const found = all.get(lineage);
      await found?.pool?.ready(signal);
      const known = found?.pool?.status().map(({ name, last_error }) => ({ name, problem: last_error ?? null })) ?? [];
      return [...(found?.refused ?? []), ...known];
    },
    tools: (lineage) => all.get(lineage)?.pool?.tools() ?? [],
    ready: async (signal) => {
      await Promise.all([...all.values()].map(({ pool }) => pool?.ready(signal)));
    },
    stop: async () => {
      const left = [...all.values()];
      await runCleanupsTogether([...left.map(({ end }) => end), ending.settled]);
    },
  };
}

function problemOf(name: string, entry: unknown, isTaken: (name: string) => boolean): string | null {
  if (isTaken(name)) return "mcp_servers of the settings has a server of this name, which is used instead";
  const read = readMcpEntry(name, entry, {});
  return read.ok ? null : read.error;
}

/** The settings with these servers. What is known of a server of the same name elsewhere is not theirs, and nothing of them is kept. */
function partsFor(parts: McpPoolParts, servers: Readonly<Record<string, unknown>>): McpPoolParts {
  const { config, door } = parts;
  return {
    ...parts,
    env: {}, // the editor has filled in its variables
    config: {
      get: (key) => (key.key === MCP_SERVERS.key ? (servers as typeof key.default) : config.get(key)), // the key is that of the servers
      source: (key) => config.source(key),
      raw: (path) => config.raw(path),
      hasVariable: (prefix) => config.hasVariable(prefix),
      onChange: (listener) => config.onChange(listener),
    },
    door: { ...door, readManifest: async () => undefined, writeManifest: async () => undefined },
  };
}
