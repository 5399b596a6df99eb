import { runCleanupsTogether } from "../base/async/cleanup.js";
import type { SessionId } from "../base/units.js";
import type { McpLists } from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { askedOf, createCalls } from "./calls.js";
import { changedTools, createChanges } from "./changes.js";
import type { McpPoolParts } from "./parts.js";
import { createServer, type Server } from "./server/server.js";
import { type CalledServer, createServersBySession } from "./servers-by-session.js";
import { type RunAt, toolEntries } from "./tools.js";

/** What one server of the settings is made with. */
export interface ConfiguredServerParts {
  readonly name: string;
  readonly entry: McpEntry;
  readonly pool: McpPoolParts;
  /** Directories of the sessions that use servers. */
  readonly directories: () => readonly string[];
  /** Run a request that a tool of the server makes. */
  readonly run: RunAt;
}

/** One server of the settings: the connection that all share, those for single sessions (`shared: false`), and its tools. */
export interface ConfiguredServer {
  /** The entry as JSON, so that a change is seen. */
  readonly written: string;
  readonly shared: Server;
  /** Where calls of the session go. */
  serverFor(session: SessionId): CalledServer;
  /** Run a call of the session: beside its others where the entry allows it, else after them. */
  schedule<T>(session: SessionId, call: () => Promise<T>): Promise<T>;
  /** None while they are unknown. */
  tools(): readonly ToolEntry[];
  /** Tools that have changed since the session called last, and whose permissions are asked for again. */
  newChanges(session: SessionId): readonly string[];
  /** Servers learn that sessions work in other directories. */
  rootsChanged(): void;
  stop(): Promise<void>;
}

/** Not connected: `shared.begin` reads what is known of it. */
export function createConfiguredServer(parts: ConfiguredServerParts): ConfiguredServer {
  const { name, entry, pool, directories, run } = parts;
  const changes = createChanges();

  const listed = (lists: McpLists, before: McpLists | undefined): void => {
    if (before === undefined) return;
    const changed = changedTools(name, entry, before, lists);
    changes.note(changed);
    if (changed.length > 0)
      pool.log.warning(
        "tools of an MCP server changed what they do or take; what was allowed for them is asked again",
        {
          server: name,
          tools: changed.join(", "),
        },
      );
  };
  const create = (more: { readonly ofSession?: true }): CalledServer => {
    const calls = createCalls();
    const asked = askedOf(name, entry, calls, { ...pool, directories });
    return { server: createServer({ ...pool, ...more, name, entry, asked, listed }), calls };
  };

  const shared = create({});
  const ofSessions = createServersBySession(() => create({ ofSession: true }), pool.log);
  const queues = createCallQueues();
  const all = (): readonly Server[] => [shared, ...ofSessions.all()].map(({ server }) => server);
  let tools: { readonly of: McpLists; readonly entries: readonly ToolEntry[] } | undefined;

  return {
    written: JSON.stringify(entry),
    shared: shared.server,
    serverFor: (session) => (entry.shared ? shared : ofSessions.get(session)),
    schedule: (session, call) => (entry.supports_parallel_tool_calls ? call() : queues.run(session, call)),
    tools: () => {
      const lists = shared.server.lists();
      if (lists === undefined || !entry.enabled) return [];
      if (tools?.of !== lists) tools = { of: lists, entries: toolEntries(name, entry, lists, run) };
      return tools.entries;
    },
    newChanges: changes.newFor,
    rootsChanged: () => {
      for (const server of all()) server.rootsChanged();
    },
    stop: async () => {
      await runCleanupsTogether([shared.server.stop, ofSessions.stop]);
    },
  };
}

/** Calls of one session, each after the result of the one before. */
function createCallQueues() {
  const last = new Map<SessionId, Promise<unknown>>();
  return {
    run: async <T>(session: SessionId, call: () => Promise<T>): Promise<T> => {
      const before = last.get(session) ?? Promise.resolve();
      const mine = before.then(call, call);
      const kept = mine.catch(() => undefined); // the caller gets the failure; the next call runs anyway
      last.set(session, kept);
      try {
        return await mine;
      } finally {
        if (last.get(session) === kept) last.delete(session);
      }
    },
  };
}
