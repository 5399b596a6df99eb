import { AppError } from "../../base/errors.js";
import { type EpochMs, toIso } from "../../base/units.js";
import type { McpServerStatus, McpTestOutcome, McpToolInfo } from "../../contracts/mcp/mcp.js";
import { formatLocalTime } from "../auth/text.js";
import type { CommandContext } from "../define.js";
import { plain } from "../render/plain.js";

/** States in which nothing is left to do: `idle` starts with its first call. */
const FINE: ReadonlySet<string> = new Set(["ready", "idle", "disabled"]);

/** An enabled server cannot be used at this moment. */
export const needsAttention = ({ enabled, state }: McpServerStatus): boolean => enabled && !FINE.has(state);

/** What can be done about a state, after the words of `statusLine`. */
function remedyFor({ name, state }: McpServerStatus): string {
  if (state === "needs_login") return `; agent mcp login ${name}`;
  return state === "failed" || state === "reconnecting" ? `; agent mcp test ${name}` : "";
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? "" : "s"}`;

/** One line for a server. */
export function statusLine(status: McpServerStatus, now: EpochMs): string {
  const { name, transport, state, tools, resources, prompts, pid, since, last_error, last_error_at } = status;
  const offers = [
    counted(tools, "tool"),
    ...(resources === 0 ? [] : [counted(resources, "resource")]),
    ...(prompts === 0 ? [] : [counted(prompts, "prompt")]),
  ].join(", ");
  const facts = [
    ...(pid === undefined ? [] : [`pid ${pid}`]),
    ...(since === undefined ? [] : [`since ${formatLocalTime(since, now)}`]),
  ];
  const when = last_error_at === undefined ? "" : ` (${formatLocalTime(last_error_at, now)})`;
  const error = last_error === undefined ? "" : `\n  ${plain(last_error)}${when}${remedyFor(status)}`;
  const tail = facts.length === 0 ? "" : `  ${facts.join("  ")}`;
  const login = last_error === undefined ? remedyFor(status).replace(/^; /, "  ") : "";
  return `${name.padEnd(20)} ${transport.padEnd(6)} ${state.padEnd(13)} ${offers}${tail}${login}${error}`;
}

/** A status for machines: instants are ISO 8601 in UTC. */
export function toStatusJson({ since, last_error_at, ...status }: McpServerStatus) {
  return {
    ...status,
    ...(since === undefined ? {} : { since: toIso(since) }),
    ...(last_error_at === undefined ? {} : { last_error_at: toIso(last_error_at) }),
  };
}

/** One line for a tool: what it is called and the beginning of what it does. */
export function mcpToolLine({ name, description, readOnly, destructive, enabled }: McpToolInfo): string {
  const marks = [
    ...(enabled ? [] : ["not enabled"]),
    ...(readOnly ? ["reads only"] : destructive ? ["may destroy"] : []),
  ];
  const first = plain(description.split("\n")[0] ?? "").trim();
  const short = first.length > 80 ? `${first.slice(0, 79)}…` : first;
  return `  ${name}${marks.length === 0 ? "" : ` (${marks.join(", ")})`}${short === "" ? "" : `: ${short}`}`;
}

/** What became of a connection attempt. */
export function outcomeText(name: string, { ok, connect_ms, tools, error }: McpTestOutcome): string {
  if (!ok) return `${name}: not connected after ${connect_ms} ms: ${plain(error ?? "unknown error")}`;
  return [`${name}: connected in ${connect_ms} ms, ${counted(tools.length, "tool")}`, ...tools.map(mcpToolLine)].join(
    "\n",
  );
}

/** Key of an entry in the settings. @throws E_USAGE for a name that no dotted key can have */
function entryKey(name: string): string {
  if (!name.includes(".")) return `mcp_servers.${name}`;
  throw new AppError("E_USAGE", `cannot change '${name}': its name contains a dot`, { hint: "edit config.yaml" });
}

/** @throws E_NOT_FOUND for a name that is not configured */
export function requireEntry(name: string, { settings }: Pick<CommandContext, "settings">): string {
  const key = entryKey(name);
  if (settings.get(key) !== undefined) return key;
  throw new AppError("E_NOT_FOUND", `no MCP server '${name}' is configured`, {
    name,
    hint: "agent mcp list lists them",
  });
}
