import { unlessAborted } from "../base/async/aborted.js";
import { runCleanupsTogether } from "../base/async/cleanup.js";
import { createRunningWork } from "../base/async/running-work.js";
import { settlesWithin } from "../base/time/settles-within.js";
import type { ResumedForm } from "../contracts/chat/form.js";
import { MCP_INITIAL_WAIT } from "../contracts/mcp/keys.js";
import type { McpReload, McpServerStatus } from "../contracts/mcp/mcp.js";
import { toolName } from "../contracts/mcp/tool-name.js";
import type { ToolContext, ToolResult } from "../tools/core/define.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { markToolResult } from "../tools/core/untrusted.js";
import { type ConfiguredServer, createConfiguredServer } from "./configured-server.js";
import { createMediaKeeper } from "./media.js";
import { parkedIn, type ServerRequest } from "./parked.js";
import type { McpPoolParts } from "./parts.js";
import { runParked, runRequest } from "./run-tool.js";
import type { Server } from "./server/server.js";
import { createServerEntries } from "./server-entries.js";
import { createSessionDirectories } from "./session-directories.js";

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
  resumed(answered: ResumedCall): Promise<string>;
  stop(): Promise<void>;
}

type ResumedCall = Pick<ResumedForm, "ticket" | "answer" | "again">;

/** Without servers until the first `reload`. */
export function createPool(parts: McpPoolParts): McpPool {
  const { config, clock, redact } = parts;
  const entries = createServerEntries(parts);
  const directories = createSessionDirectories();
  const keep = createMediaKeeper(parts);
  const configured = new Map<string, ConfiguredServer>();
  const ending = createRunningWork();
  let stopped = false;
  const shared = (): readonly Server[] => [...configured.values()].map((one) => one.shared);

  const reload = async (): Promise<McpReload> => {
    const usable = entries.read();
    const added: string[] = [];
    const changed: string[] = [];
    const ended: Promise<void>[] = [];
    const gone = [...configured].filter(([name]) => !usable.has(name));
    for (const [name, one] of gone) {
      configured.delete(name);
      ended.push(ending.add(one.stop()));
    }
    for (const [name, entry] of stopped ? [] : usable) {
      const before = configured.get(name);
      if (before?.written === JSON.stringify(entry)) continue;
      (before === undefined ? added : changed).push(name);
      if (before !== undefined) ended.push(ending.add(before.stop()));
      const one = createConfiguredServer({
        name,
        entry,
        pool: parts,
        directories: directories.all,
        run: (request, ctx) => run(name, request, ctx),
      });
      configured.set(name, one);
      one.shared.begin().catch(() => undefined); // it reports its own failures
    }
    await Promise.all(ended);
    return { added, removed: gone.map(([name]) => name), changed };
  };

  /** A tool may be older than the settings: its server is looked up when it runs. */
  const run = async (name: string, request: ServerRequest, ctx: ToolContext): Promise<ToolResult> => {
    const one = configured.get(name);
    if (one === undefined) {
      const error = `MCP server ${name} is not configured any more`;
      return { text: JSON.stringify({ error }), status: "error" };
    }
    if (directories.note(ctx.session, ctx.state.cwd)) for (const each of configured.values()) each.rootsChanged();
    const changed = one.newChanges(ctx.session);
    if (changed.length > 0)
      ctx.progress(
        `MCP server ${name} has changed what these tools do or take, and what was allowed for them is asked again: ${changed.join(", ")}\n`,
      );
    const called = one.serverFor(ctx.session);
    return one.schedule(ctx.session, () => runRequest({ ...called, keep, redact }, request, ctx));
  };

  const resumed = async ({ ticket, answer, again }: ResumedCall): Promise<string> => {
    const parked = parkedIn(ticket);
    if (parked === undefined)
      return "An answer came for a call that another version of the program made; call the tool again.";
    const tool = `${parked.server} ${String(parked.request.params["name"] ?? parked.request.method)}`;
    if (again) return `The answer to ${tool} was being sent when the program ended: it may or may not have run.`;
    const server = configured.get(parked.server)?.shared;
    if (server === undefined)
      return `${tool} was answered, and MCP server ${parked.server} is not configured any more.`;
    const said = await runParked({ server, keep, redact }, parked, answer);
    return `${tool} was answered (${answer.action}):\n${markToolResult(toolName(parked.server, "answer"), said)}`;
  };

  return {
    reload,
    servers: shared,
    find: (name) => configured.get(name)?.shared,
    status: () => [...shared().map((server) => server.status()), ...entries.unusable()],
    names: () => [...configured].filter(([, one]) => one.shared.entry.enabled).map(([name]) => name),
    tools: () => [...configured.values()].flatMap((one) => one.tools()),
    ready: async (signal) => {
      const begun = Promise.all(shared().map((server) => server.begin()));
      const known = settlesWithin(clock, config.get(MCP_INITIAL_WAIT) * 1000, begun);
      await unlessAborted(known, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    },
    resumed,
    stop: async () => {
      stopped = true;
      const all = [...configured.values()];
      configured.clear();
      await runCleanupsTogether([...all.map((one) => one.stop), ending.settled]);
    },
  };
}
