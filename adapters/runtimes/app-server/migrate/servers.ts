import { isAbsolute, resolve } from "node:path";
import { isRecord } from "../../../../lib/base/json/record.js";
import { type McpEntry, readMcpEntry } from "../../../../lib/contracts/mcp/entry.js";
import { CALLBACK_SERVER } from "../../../../lib/contracts/runtimes/callback-wire.js";
import { findShapes } from "../../../../lib/safety/redact/shapes.js";
import type { TableValues } from "./toml-text.js";

/** Our MCP servers as tables of the app-server's settings (extensions part, 8.10). */

/** Our servers, and what is needed to tell what of them is secret. */
export interface OurServers {
  /** `mcp_servers` as written: variables are not expanded. */
  readonly written: unknown;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** A variable, a header or a key of this name holds a secret. */
  readonly isSecretName: (name: string) => boolean;
}

export interface ServerTables {
  readonly tables: ReadonlyMap<string, TableValues>;
  /** By server: what of it was left out, what stays a variable, what the user has to do. */
  readonly notes: readonly EntryNote[];
}

export interface EntryNote {
  readonly name: string;
  /** `skipped`: it is not in the tables, or not all of it; `error`: it cannot be written. */
  readonly kind: "note" | "skipped" | "error";
  readonly text: string;
}

/** Keys of a server table that this file writes. */
export const OWN_KEYS: ReadonlySet<string> = new Set([
  "command",
  "args",
  "env",
  "env_vars",
  "cwd",
  "url",
  "http_headers",
  "env_http_headers",
  "enabled",
  "enabled_tools",
  "disabled_tools",
  "default_tools_approval_mode",
  "startup_timeout_sec",
  "tool_timeout_sec",
]);

/** Names that the program accepts for a server. */
const SAFE_NAME = /^[A-Za-z0-9_-]+$/;

/** Keys of an entry that have a place in a table, or need none there. */
const CARRIED: ReadonlySet<string> = new Set(
  ["command", "args", "env", "cwd", "url", "headers", "transport", "timeout", "connect_timeout", "enabled"].concat([
    "tools",
    "approve",
    "auth",
    "cage",
    "start",
    "shared",
    "idle_minutes",
  ]),
);

/** Every server that can be one of the program's. Nothing is thrown for what an entry holds. */
export function serverTables(ours: OurServers): ServerTables {
  const tables = new Map<string, TableValues>();
  const notes: EntryNote[] = [];
  const taken = new Map<string, { readonly by: string; readonly value: string | undefined }>();
  for (const [name, written] of Object.entries(isRecord(ours.written) ? ours.written : {})) {
    const read = readMcpEntry(name, written, ours.env);
    const say = (kind: EntryNote["kind"], text: string) => notes.push({ name, kind, text });
    const problem = read.ok ? refusal({ name, written, ours }, read) : read.error;
    if (problem !== undefined || !read.ok) {
      say("error", problem ?? "not an entry of a server");
      continue;
    }
    const hidden = hiddenOf({ name, written, ours }, read.entry);
    const values = { ...read.entry.env, ...read.entry.headers };
    const isTaken = (key: string, variable: string): boolean =>
      taken.has(variable) && taken.get(variable)?.value !== values[key];
    const clash = [...hidden].find(([key, variable]) => RESERVED.test(variable) || isTaken(key, variable));
    if (clash !== undefined) {
      const [, variable] = clash;
      const by = taken.get(variable)?.by;
      const why = by === undefined ? "the app-server reads it itself" : `${by} has another value for it`;
      say(
        "error",
        `its ${variable} is not stored in the settings of the app-server, and cannot be handed over: ${why}`,
      );
      continue;
    }
    for (const [key, variable] of hidden) taken.set(variable, { by: name, value: values[key] });
    tables.set(name, tableOf(read.entry, hidden, ours.userHome));
    for (const [kind, text] of remarks({ written, entry: read.entry }, hidden)) say(kind, text);
  }
  return { tables, notes };
}

interface Given {
  readonly name: string;
  readonly written: unknown;
  readonly ours: OurServers;
}

type Read = Extract<ReturnType<typeof readMcpEntry>, { ok: true }>;

/** Variables that change what the program itself does. */
export const RESERVED =
  /^(AGENT_HOME|AGENT_CALLBACK_.*|AGENT_KANBAN_.*|CODEX_.*|OPENAI_.*|RUST_.*|PATH|HOME|NODE_OPTIONS|(LD|DYLD)_.*)$/;

/** Why a server is not handed over at all. */
function refusal({ name, written, ours }: Given, { entry, unset }: Read): string | undefined {
  if (name === CALLBACK_SERVER) return "the name belongs to the agent's own tools; rename the server";
  if (!SAFE_NAME.test(name)) return "the app-server accepts letters, digits, _ and - in names of servers; rename it";
  if (unset.length > 0) return `the variable ${unset[0]} is not set; agent config set ${unset[0]} VALUE stores it`;
  if (entry.cage) return "cage: true cannot be kept: the app-server would run it outside of the cage";
  if (entry.url !== undefined && entry.transport === "sse") return "the app-server does not speak transport: sse";
  const raw = isRecord(written) ? written : {};
  const shown = entry.url === undefined ? ["command", "args", "cwd"] : ["url"];
  const secret = shown.find((key) => [raw[key]].flat().some((text) => isSecretText(String(text ?? ""), ours)));
  return secret === undefined
    ? undefined
    : `its ${secret} holds a secret, which is not stored in the settings of the app-server; move it to env or headers`;
}

/** A text with a secret in it, or with a variable that holds one. */
function isSecretText(text: string, { isSecretName }: OurServers): boolean {
  const names = [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = ""]) => name);
  return names.some(isSecretName) || findShapes(text, false).length > 0;
}

/**
 * Values of `env` and `headers` that are secrets, each with the variable that hands it to the program: they are never stored in its settings, which
 * people share, but are in its environment when it is started.
 */
function hiddenOf({ name, written, ours }: Given, entry: McpEntry): ReadonlyMap<string, string> {
  const given = isRecord(written) ? written[entry.url === undefined ? "env" : "headers"] : undefined;
  const found = Object.entries(isRecord(given) ? given : {}).filter(
    ([key, raw]) => ours.isSecretName(key) || isSecretText(String(raw), ours),
  );
  return new Map(found.map(([key]) => [key, entry.url === undefined ? key : headerVariable(name, key)]));
}

/** Variable that hands a header of a server to the program. */
export const headerVariable = (server: string, header: string): string =>
  `AGENT_MCP_${`${server}_${header}`.replaceAll(/[^A-Za-z0-9]/g, "_").toUpperCase()}`;

function tableOf(entry: McpEntry, hidden: ReadonlyMap<string, string>, userHome: string): TableValues {
  const { include, exclude = [] } = entry.tools;
  return {
    ...(entry.url === undefined ? programOf(entry, hidden, userHome) : addressOf(entry, hidden)),
    ...(entry.enabled ? {} : { enabled: false }),
    ...(include === undefined ? {} : { enabled_tools: include }),
    ...(include !== undefined || exclude.length === 0 ? {} : { disabled_tools: exclude }),
    ...(entry.approve === "all" ? { default_tools_approval_mode: "prompt" } : {}),
    startup_timeout_sec: entry.connect_timeout,
    tool_timeout_sec: entry.timeout,
  };
}

function programOf(
  { command = "", args, env, cwd }: McpEntry,
  hidden: ReadonlyMap<string, string>,
  userHome: string,
): TableValues {
  const from = (base: string, path: string): string => {
    if (path === "~" || path.startsWith("~/")) return resolve(userHome, path.slice(2));
    return isAbsolute(path) ? path : resolve(base, path);
  };
  const dir = cwd === undefined ? undefined : from(userHome, cwd);
  const open = Object.entries(env).filter(([name]) => !hidden.has(name));
  return {
    command: command.includes("/") ? from(dir ?? userHome, command) : command,
    args,
    ...(open.length === 0 ? {} : { env: Object.fromEntries(open) }),
    ...(hidden.size === 0 ? {} : { env_vars: [...hidden.values()] }),
    ...(dir === undefined ? {} : { cwd: dir }),
  };
}

function addressOf({ url = "", headers }: McpEntry, hidden: ReadonlyMap<string, string>): TableValues {
  const open = Object.entries(headers).filter(([name]) => !hidden.has(name));
  return {
    url,
    ...(open.length === 0 ? {} : { http_headers: Object.fromEntries(open) }),
    ...(hidden.size === 0 ? {} : { env_http_headers: Object.fromEntries(hidden) }),
  };
}

function remarks(
  { written, entry }: { readonly written: unknown; readonly entry: McpEntry },
  hidden: ReadonlyMap<string, string>,
): readonly (readonly [EntryNote["kind"], string])[] {
  const keys = isRecord(written) ? Object.keys(written) : [];
  const left = keys.filter((key) => !CARRIED.has(key));
  return [
    ...(entry.url !== undefined && entry.command !== undefined
      ? [["note", "url and command are both given: url is used"] as const]
      : []),
    ...(left.length === 0 ? [] : [["skipped", `the app-server has nothing like ${left.join(", ")}`] as const]),
    ...(hidden.size === 0
      ? []
      : [
          [
            "note",
            `${[...hidden.keys()].join(", ")} is not stored there; the agent hands it over at each start`,
          ] as const,
        ]),
    ...(entry.auth === "oauth" ? [["note", "log in there as well: codex mcp login"] as const] : []),
  ];
}
