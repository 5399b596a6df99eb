import { AppError } from "../base/errors.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { McpApi, McpTestOutcome } from "../contracts/mcp/mcp.js";
import { askedOf, createCalls } from "./calls.js";
import type { McpPoolParts } from "./parts.js";
import type { McpPool } from "./pool.js";
import type { Server } from "./server/server.js";
import { toolInfos } from "./tools.js";

/** The pool as commands use it. */
export function createMcpApi(pool: McpPool, parts: McpPoolParts): McpApi {
  const { clock, door } = parts;
  const found = (name: string): Server => {
    const server = pool.find(name);
    if (server !== undefined) return server;
    const wrong = pool.status().find((one) => one.name === name)?.last_error;
    if (wrong !== undefined)
      throw new AppError("E_CONFIG", `mcp_servers.${name}: ${wrong}`, {
        hint: "agent config check lists all problems",
      });
    throw new AppError("E_NOT_FOUND", `no MCP server is called ${name}`, { hint: "agent mcp list shows the servers" });
  };
  const infos = (server: Server) => {
    const lists = server.lists();
    return lists === undefined ? [] : toolInfos(server.name, server.entry, lists);
  };
  const timed = async (work: () => Promise<McpTestOutcome["tools"]>): Promise<McpTestOutcome> => {
    const began = clock.mono();
    const since = () => Math.round(clock.mono() - began);
    try {
      const tools = await work();
      return { ok: true, connect_ms: since(), tools };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { ok: false, connect_ms: since(), tools: [], error: text };
    }
  };
  return {
    list: () => pool.status(),
    status: async (name) => {
      if (parts.looks === true) await Promise.all(pool.servers().map((server) => server.begin()));
      const all = pool.status();
      if (name === undefined) return all;
      const one = all.filter((status) => status.name === name);
      if (one.length === 0) found(name);
      return one;
    },
    tools: async (name) => {
      const server = found(name);
      await server.begin();
      return infos(server);
    },
    test: async (name, signal) => {
      const server = found(name);
      return timed(async () => {
        await server.open(signal);
        return infos(server);
      });
    },
    probe: (name, entry, signal) => timed(() => probe(name, entry, signal, parts)),
    reconnect: async (name, signal) => {
      const server = found(name);
      try {
        await server.reconnect(signal);
      } catch (error) {
        const text = error instanceof Error ? error.message : String(error);
        throw new AppError("E_STATE", `${name} is not connected: ${text}`, { hint: `agent mcp test ${name}` }, error);
      }
      return server.status();
    },
    login: async (name, ask, signal) => {
      const server = found(name);
      if (server.entry.url === undefined)
        throw new AppError("E_STATE", `${name} is started as a program and has no login`, { hint: "agent mcp list" });
      await door.login(name, server.entry, ask, signal);
      await server.reconnect(signal).catch(() => undefined); // its state tells what is left to do
    },
    reload: () => pool.reload(),
  };
}

async function probe(
  name: string,
  entry: McpEntry,
  signal: AbortSignal,
  parts: McpPoolParts,
): Promise<McpTestOutcome["tools"]> {
  const hooks = {
    asked: askedOf(name, entry, createCalls(), { ...parts, directories: () => [] }),
    changed: () => undefined,
    say: () => undefined,
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(entry.connect_timeout * 1000)]);
  const connection = await parts.door.connect({ name, entry, hooks, signal: limit });
  try {
    const lists = await connection.lists(entry.connect_timeout * 1000, limit);
    // The entry is about to be saved: its tools are known then.
    await parts.door.writeManifest(name, entry, { at: parts.clock.now(), lists, revision: connection.revision });
    return toolInfos(name, entry, lists);
  } finally {
    await connection.close();
  }
}
