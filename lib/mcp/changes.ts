import type { SessionId } from "../base/units.js";
import type { McpLists } from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import { pinOf } from "./pin.js";
import { namedTools } from "./tools.js";

/** Tools that both lists have and that are not the same, by the names that models know. */
export function changedTools(server: string, entry: McpEntry, before: McpLists, after: McpLists): readonly string[] {
  const pins = new Map(before.tools.map((tool) => [tool.name, pinOf(tool)]));
  return namedTools(server, entry, after)
    .filter(({ tool }) => pins.has(tool.name) && pins.get(tool.name) !== pinOf(tool))
    .map(({ name }) => name);
}

/** Sessions that are remembered to know of a change. */
const SESSIONS = 1_000;

/** ToolChanges of one server's tools that sessions do not know of yet. */
export interface ToolChanges {
  note(tools: readonly string[]): void;
  /** What has changed since the session asked last; the first time: since the server is known. */
  newFor(session: SessionId): readonly string[];
}

export function createChanges(): ToolChanges {
  const changed = new Set<string>();
  const told = new Set<SessionId>();
  return {
    note: (tools) => {
      if (tools.length === 0) return;
      if (told.size > 0) changed.clear();
      told.clear();
      for (const tool of tools) changed.add(tool);
    },
    newFor: (session) => {
      if (changed.size === 0 || told.has(session) || told.size >= SESSIONS) return [];
      told.add(session);
      return [...changed];
    },
  };
}
