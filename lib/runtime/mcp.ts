import { runCleanupsInOrder } from "../base/async/cleanup.js";
import { type Once, once } from "../base/async/lazy.js";
import { isRecord } from "../base/json/record.js";
import type { AppOptions } from "../config/app-options.js";
import type { QuestionParking } from "../contracts/chat/form.js";
import type { QueueApi } from "../contracts/chat/queue.js";
import type { BringServers } from "../contracts/mcp/brought.js";
import { MCP_SERVERS, MCP_TICKET } from "../contracts/mcp/keys.js";
import type { McpApi } from "../contracts/mcp/mcp.js";
import type { AuxClient } from "../contracts/models/auxiliary.js";
import type { McpPool } from "../mcp/pool.js";
import type { SessionServers } from "../mcp/session-servers.js";
import type { ToolEntry } from "../tools/core/entry.js";
import type { ToolSource } from "../tools/core/tool-source.js";

/** The MCP servers of a process. Nothing of them is loaded where none is configured. */
export interface McpPart {
  readonly source: ToolSource;
  readonly api: Once<McpApi>;
  /** Servers that front ends bring for their sessions. */
  readonly sessions: BringServers;
  /** What `api` would list; undefined: nothing is loaded. */
  peek(): McpApi | undefined;
  /** From here on, a call whose question is answered after it has ended is sent again, and its session learns the outcome. */
  listen(chat: McpSessions): void;
  /** Connects the servers that are not to wait for a call, in the background. */
  start(): void;
  /** Ends every server. */
  stop(): Promise<void>;
}

/** What sessions whose questions were answered late learn. */
export interface McpSessions extends Pick<QueueApi, "queueAdd"> {
  readonly parking: QuestionParking;
}

type Parts = Pick<
  AppOptions,
  "ids" | "home" | "kind" | "version" | "config" | "spawner" | "clock" | "net" | "log" | "cages" | "env" | "safeMode"
>;

interface Loaded {
  readonly pool: McpPool;
  readonly api: McpApi;
  readonly sessions: SessionServers;
}

export function mcpOf(options: Parts, aux: () => AuxClient): McpPart {
  const { config } = options;
  const log = options.log.child("mcp");
  let loaded: Loaded | undefined;
  const hasEntries = (): boolean => {
    const given = config.get(MCP_SERVERS);
    return options.safeMode !== true && isRecord(given) && Object.keys(given).length > 0;
  };
  const isConfigured = (): boolean => options.kind !== "readonly" && hasEntries();
  const load = once(async () => {
    const made = await build(options, log, aux);
    loaded = made;
    if (hasEntries()) await made.pool.reload();
    return made;
  });
  const reload = (): void => {
    if (loaded === undefined && !isConfigured()) return;
    load()
      .then(({ pool }) => pool.reload())
      .catch((error: unknown) => log.error("the MCP servers of the settings were not read", { error: String(error) }));
  };
  const stopListening = config.onChange(reload);
  const isEager = (entry: unknown): boolean => isRecord(entry) && entry["start"] === "eager";
  const start = (): void => {
    const given = config.get(MCP_SERVERS);
    if (isConfigured() && isRecord(given) && Object.values(given).some(isEager)) reload();
  };
  const none: readonly ToolEntry[] = [];
  return {
    source: {
      entries: ({ lineage }) => {
        if (loaded === undefined) return none;
        const { pool, sessions } = loaded;
        return lineage === undefined ? pool.tools() : [...pool.tools(), ...sessions.tools(lineage)];
      },
      toolsets: () => (hasEntries() ? (loaded?.pool.names() ?? []).map((name) => `mcp-${name}`) : []),
      ready: async (signal) => {
        if (!hasEntries() && loaded === undefined) return;
        const { pool, sessions } = await load();
        await Promise.all([hasEntries() ? pool.ready(signal) : undefined, sessions.ready(signal)]);
      },
    },
    api: once(async () => (await load()).api),
    sessions: {
      start: async (lineage, servers, gone) => {
        if (servers.size === 0 && loaded === undefined) return [];
        const off = options.safeMode === true ? "safe mode starts no MCP servers" : undefined;
        if (off !== undefined) return [...servers.keys()].map((name) => ({ name, problem: off }));
        return (await load()).sessions.start(lineage, servers, gone);
      },
      status: async (lineage, signal) => loaded?.sessions.status(lineage, signal) ?? [],
    },
    peek: () => loaded?.api,
    start,
    listen: ({ parking, queueAdd }) => {
      if (!isConfigured()) return;
      parking.resume(MCP_TICKET, async (answered) => {
        const text = await (await load()).pool.resumed(answered);
        await queueAdd(answered.session, { text, kind: "process_notice", source: "background", by: "mcp" });
      });
    },
    stop: async () => {
      stopListening();
      const made = await load.peek();
      // Servers of the settings end also when one of a session cannot be ended.
      if (made !== undefined) await runCleanupsInOrder([made.sessions.stop, made.pool.stop]);
    },
  };
}

async function build(options: Parts, log: Parts["log"], aux: () => AuxClient): Promise<Loaded> {
  const [
    { createPool },
    { createSessionServers },
    { createMcpApi },
    { createMcpConnector: createMcpDoor },
    { callbackListener },
    { logRedactor },
  ] = await Promise.all([
    import("../mcp/pool.js"),
    import("../mcp/session-servers.js"),
    import("../mcp/api.js"),
    import("../../adapters/mcp/door.js"),
    import("../http/login-callback.js"),
    import("./known-secrets.js"),
  ]);
  const redact = logRedactor(options.config, options.home);
  const door = createMcpDoor({ ...options, log, redact, listen: callbackListener(options.clock) });
  const looks = options.kind === "readonly" ? ({ looks: true } as const) : {};
  const parts = { ...options, ...looks, log, redact, door, aux: aux() };
  const pool = createPool(parts);
  const sessions = createSessionServers(parts, (name) => pool.find(name) !== undefined);
  return { pool, api: createMcpApi(pool, parts), sessions };
}
