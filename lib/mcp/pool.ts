import { isRecord } from "../base/json/record.js";
import { settlesWithin } from "../base/time/settles-within.js";
import type { EpochMs, SessionId } from "../base/units.js";
import type { ResumedForm } from "../contracts/chat/form.js";
import type { McpLists } from "../contracts/mcp/connection.js";
import { type McpEntry, readMcpEntry } from "../contracts/mcp/entry.js";
import { MCP_INITIAL_WAIT, MCP_SERVERS } from "../contracts/mcp/keys.js";
import type { McpReload, McpServerStatus } from "../contracts/mcp/mcp.js";
import { toolName } from "../contracts/mcp/tool-name.js";
import type { ToolContext, ToolResult } from "../tools/core/define.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { labelled } from "../tools/core/untrusted.js";
import { askedOf, type Calls, createCalls } from "./calls.js";
import { changedTools, createChanges, type ToolChanges } from "./changes.js";
import { createMediaKeeper } from "./media.js";
import { parkedIn, type ServerRequest } from "./parked.js";
import type { McpPoolParts } from "./parts.js";
import { runParked, runRequest } from "./run-tool.js";
import { createServer, type Server } from "./server.js";
import { toolEntries } from "./tools.js";

/** Servers of single sessions that are kept at once; the one that was used longest ago goes first. */
const SESSION_SERVERS = 32;
/** Sessions whose directories servers learn. */
const SESSIONS = 64;

/** One configured server: its connection that all share, and those of single sessions. */
interface Slot {
  /** The entry as JSON, so that a change is seen. */
  readonly written: string;
  readonly shared: Server;
  readonly calls: Calls;
  readonly ofSessions: Map<string, { readonly server: Server; readonly calls: Calls }>;
  /** Tools for the present lists; made when they are asked for. */
  tools?: { readonly of: McpLists; readonly entries: readonly ToolEntry[] };
  /** The last call of each session, where calls go one after the other. */
  readonly queues: Map<string, Promise<unknown>>;
  readonly changes: ToolChanges;
}

interface MakeServer {
  readonly name: string;
  readonly entry: McpEntry;
  readonly calls: Calls;
  readonly changes: ToolChanges;
}

/** An entry that cannot be used. */
interface Wrong {
  readonly error: string;
  readonly at: EpochMs;
}

/** The servers of one process (extensions part, 2): one connection each, shared by all sessions and workers. */
export interface McpPool {
  /** Read the entries; again: only what changed is touched. */
  reload(): Promise<McpReload>;
  servers(): readonly Server[];
  find(name: string): Server | undefined;
  status(): readonly McpServerStatus[];
  /** Names of the servers that may have tools. */
  names(): readonly string[];
  tools(): readonly ToolEntry[];
  /** Until the tools of every server are known, or cannot be had, or the wait of the settings is over. */
  ready(signal: AbortSignal): Promise<void>;
  /** Send a call again whose question was answered after it had ended. @returns what to tell its session */
  resumed(answered: Pick<ResumedForm, "ticket" | "answer" | "again">): Promise<string>;
  stop(): Promise<void>;
}

/** Without servers until the first `reload`. */
export function createPool(parts: McpPoolParts): McpPool {
  const { config, clock, log, env, redact } = parts;
  const slots = new Map<string, Slot>();
  const wrong = new Map<string, Wrong>();
  const told = new Set<string>();
  const keep = createMediaKeeper(parts);
  /** The live directory of each session that uses a server, newest last. */
  const directories = new Map<SessionId, string>();
  let stopped = false;

  const makeServer = ({ name, entry, calls, changes }: MakeServer, ofSession?: true): Server =>
    createServer({
      ...parts,
      name,
      entry,
      asked: askedOf(name, entry, calls, { ...parts, directories: () => [...new Set(directories.values())] }),
      listed: (lists, before) => {
        if (before === undefined) return;
        const changed = changedTools(name, entry, before, lists);
        changes.note(changed);
        if (changed.length > 0)
          log.warning("tools of an MCP server changed what they do or take; what was allowed for them is asked again", {
            server: name,
            tools: changed.join(", "),
          });
      },
      ...(ofSession === undefined ? {} : { ofSession }),
    });
  const makeSlot = (name: string, entry: McpEntry): Slot => {
    const calls = createCalls();
    const changes = createChanges();
    return {
      written: JSON.stringify(entry),
      shared: makeServer({ name, entry, calls, changes }),
      calls,
      ofSessions: new Map(),
      queues: new Map(),
      changes,
    };
  };

  const run = async (name: string, request: ServerRequest, ctx: ToolContext): Promise<ToolResult> => {
    const slot = slots.get(name);
    if (slot === undefined) {
      const error = `MCP server ${name} is not configured any more`;
      return { text: JSON.stringify({ error }), status: "error" };
    }
    sees(ctx.session, ctx.state.cwd);
    const changed = slot.changes.newFor(ctx.session);
    if (changed.length > 0)
      ctx.progress(
        `MCP server ${name} has changed what these tools do or take, and what was allowed for them is asked again: ${changed.join(", ")}\n`,
      );
    const at = serverFor(slot, ctx.session);
    const work = () => runRequest({ ...at, keep, redact }, request, ctx);
    return slot.shared.entry.supports_parallel_tool_calls ? work() : inTurn(slot, ctx.session, work);
  };

  /** Servers that know directories are notified when others are added. */
  const sees = (session: SessionId, cwd: string): void => {
    const isNew = ![...directories.values()].includes(cwd);
    directories.delete(session);
    directories.set(session, cwd);
    const [oldest] = directories.keys();
    if (directories.size > SESSIONS && oldest !== undefined) directories.delete(oldest);
    if (!isNew) return;
    for (const { shared, ofSessions } of slots.values())
      for (const server of [shared, ...[...ofSessions.values()].map((one) => one.server)]) server.rootsChanged();
  };

  const serverFor = (slot: Slot, session: SessionId): { readonly server: Server; readonly calls: Calls } => {
    const { name, entry } = slot.shared;
    const { changes } = slot;
    if (entry.shared) return { server: slot.shared, calls: slot.calls };
    const known = slot.ofSessions.get(session);
    if (known !== undefined) {
      slot.ofSessions.delete(session);
      slot.ofSessions.set(session, known);
      return known;
    }
    const calls = createCalls();
    const made = { server: makeServer({ name, entry, calls, changes }, true), calls };
    slot.ofSessions.set(session, made);
    const [oldest] = slot.ofSessions;
    if (slot.ofSessions.size > SESSION_SERVERS && oldest !== undefined) {
      slot.ofSessions.delete(oldest[0]);
      end(oldest[1].server);
    }
    return made;
  };

  const end = (server: Server): void => {
    server
      .stop()
      .catch((error: unknown) =>
        log.warning("an MCP server was not stopped", { server: server.name, error: String(error) }),
      );
  };
  const endSlot = async (slot: Slot): Promise<void> => {
    await Promise.all(
      [slot.shared, ...[...slot.ofSessions.values()].map(({ server }) => server)].map((one) => one.stop()),
    );
  };

  const toolsOf = (name: string, slot: Slot): readonly ToolEntry[] => {
    const lists = slot.shared.lists();
    if (lists === undefined || !slot.shared.entry.enabled) return [];
    if (slot.tools?.of !== lists) {
      const entries = toolEntries(name, slot.shared.entry, lists, (request, ctx) => run(name, request, ctx));
      slot.tools = { of: lists, entries };
    }
    return slot.tools.entries;
  };

  const readEntries = (): ReadonlyMap<string, McpEntry> => {
    const given = config.get(MCP_SERVERS);
    const entries = new Map<string, McpEntry>();
    wrong.clear();
    for (const [name, written] of Object.entries(isRecord(given) ? given : {})) {
      const read = readMcpEntry(name, written, env);
      if (read.ok) {
        entries.set(name, read.entry);
        for (const variable of read.unset) tellOnce(`mcp_servers.${name}: the variable ${variable} is not set`);
        continue;
      }
      wrong.set(name, { error: read.error, at: clock.now() });
      tellOnce(`mcp_servers.${name}: ${read.error}`);
    }
    return entries;
  };
  const tellOnce = (text: string): void => {
    if (told.has(text) || told.size > 1_000) return;
    told.add(text);
    log.warning(text);
  };

  return {
    reload: async () => {
      const entries = readEntries();
      const added: string[] = [];
      const changed: string[] = [];
      const gone = [...slots].filter(([name]) => !entries.has(name));
      const ended: Promise<void>[] = [];
      for (const [name, slot] of gone) {
        slots.delete(name);
        ended.push(endSlot(slot));
      }
      for (const [name, entry] of stopped ? [] : entries) {
        const known = slots.get(name);
        if (known?.written === JSON.stringify(entry)) continue;
        (known === undefined ? added : changed).push(name);
        if (known !== undefined) ended.push(endSlot(known));
        const slot = makeSlot(name, entry);
        slots.set(name, slot);
        slot.shared.begin().catch(() => undefined); // it tells its own failures
      }
      await Promise.all(ended);
      return { added, removed: gone.map(([name]) => name), changed };
    },
    servers: () => [...slots.values()].map(({ shared }) => shared),
    find: (name) => slots.get(name)?.shared,
    names: () => [...slots].filter(([, { shared }]) => shared.entry.enabled).map(([name]) => name),
    status: () => [
      ...[...slots.values()].map(({ shared }) => shared.status()),
      ...[...wrong].map(([name, { error, at }]) => wrongStatus(name, error, at)),
    ],
    tools: () => [...slots].flatMap(([name, slot]) => toolsOf(name, slot)),
    ready: async (signal) => {
      const begun = Promise.all([...slots.values()].map(({ shared }) => shared.begin()));
      const late = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([settlesWithin(clock, config.get(MCP_INITIAL_WAIT) * 1000, begun), late]);
    },
    resumed: async ({ ticket, answer, again }) => {
      const parked = parkedIn(ticket);
      if (parked === undefined)
        return "An answer came for a call that another version of the program made; call the tool again.";
      const tool = `${parked.server} ${String(parked.request.params["name"] ?? parked.request.method)}`;
      if (again) return `The answer to ${tool} was being sent when the program ended: it may or may not have run.`;
      const server = slots.get(parked.server)?.shared;
      if (server === undefined)
        return `${tool} was answered, and MCP server ${parked.server} is not configured any more.`;
      const said = await runParked({ server, keep, redact }, parked, answer);
      return `${tool} was answered (${answer.action}):\n${labelled(toolName(parked.server, "answer"), said)}`;
    },
    stop: async () => {
      stopped = true;
      const all = [...slots.values()];
      slots.clear();
      await Promise.all(all.map(endSlot));
    },
  };
}

/** Calls of one session to one server, each after the result of the one before. */
async function inTurn<T>({ queues }: Slot, session: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(session) ?? Promise.resolve();
  const mine = before.then(work, work);
  const kept = mine.catch(() => undefined); // the caller gets the failure; the next call runs anyway
  queues.set(session, kept);
  try {
    return await mine;
  } finally {
    if (queues.get(session) === kept) queues.delete(session);
  }
}

const wrongStatus = (name: string, error: string, at: EpochMs): McpServerStatus => ({
  name,
  transport: "stdio",
  state: "failed",
  tools: 0,
  resources: 0,
  prompts: 0,
  since: at,
  last_error: error,
  last_error_at: at,
  shared: true,
  enabled: true,
});
