import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyCommand } from "../../lib/commands/define.js";
import type { FlagMeta } from "../../lib/commands/entry.js";
import type { PlatformDefinition } from "../../lib/gateway/adapter/define-platform.js";
import type { AnyTool } from "../../lib/tools/core/define.js";
import { keysOf, type Modules } from "./modules.js";
import { describeFlags } from "./registries.js";

export const TOPIC_FOLDER = "lib/help/topics";

/** Modules whose tables appear in topics, beside definitions and configuration keys. */
export const TABLE_FILES = [
  "lib/base/errors.ts",
  "lib/board/core/diagram.ts",
  "lib/board/explain/codes.ts",
  "lib/board/explain/rules.ts",
  "lib/board/core/states.ts",
  "lib/commands/globals.ts",
].filter((path) => existsSync(path));

const MARK = /(?<open><!-- gen:(?<kind>[a-z]+)(?: (?<what>[^>]*?))? -->\n)[\s\S]*?(?<close><!-- \/gen -->)/g;

/** Help topics with their generated lists renewed: path -> text. */
export function topicTables(modules: Modules): ReadonlyMap<string, string> {
  const files = existsSync(TOPIC_FOLDER) ? readdirSync(TOPIC_FOLDER).filter((name) => name.endsWith(".md")) : [];
  return new Map(
    files.map((name) => [join(TOPIC_FOLDER, name), renew(readFileSync(join(TOPIC_FOLDER, name), "utf8"), modules)]),
  );
}

function renew(text: string, modules: Modules): string {
  let renewed = "";
  let at = 0;
  for (const { index, 0: block, groups = {} } of text.matchAll(MARK)) {
    const list = LISTS[groups["kind"] ?? ""];
    if (list === undefined)
      throw new Error(`${groups["open"]?.trim()}: no such list (known: ${Object.keys(LISTS).join(", ")})`);
    const lines = list(modules, (groups["what"] ?? "").split(" "));
    renewed += `${text.slice(at, index)}${groups["open"]}${lines}\n${groups["close"]}`;
    at = index + block.length;
  }
  return renewed + text.slice(at);
}

const LISTS: Readonly<Record<string, (modules: Modules, words: readonly string[]) => string>> = {
  commands: (modules, topics) =>
    commandsIn(modules)
      .filter(({ topic }) => topics.includes(topic))
      .map(renderCommand)
      .join("\n"),
  globals: (modules) =>
    globalsIn(modules)
      .map((flag) => `- ${renderFlag(flag)}`)
      .join("\n"),
  variables: (modules) =>
    keysOf(modules)
      .flatMap(({ env, key }) => (env === undefined ? [] : [`- \`${env}\`: \`${key}\``]))
      .toSorted()
      .join("\n"),
  errors: (modules) => renderErrors(modules.get("lib/base/errors.ts")?.["ERRORS"]),
  moves: (modules) => renderMoves(modules.get("lib/board/core/states.ts")?.["TRANSITIONS"]),
  diagram: (modules) => renderDiagram(modules.get("lib/board/core/diagram.ts")?.["renderStates"]),
  reasons: (modules) => renderReasons(modules.get("lib/board/explain/codes.ts")?.["REASONS"]),
  diagnostics: (modules) => renderDiagnostics(modules.get("lib/board/explain/rules.ts")?.["DIAGNOSTICS"]),
  tools: (modules) => toolsIn(modules).map(renderTool).join("\n"),
  platforms: (modules) => platformsIn(modules).map(renderPlatform).join("\n"),
  tags: (modules) =>
    `- ${platformsIn(modules)
      .map(({ tag }) => `\`${tag}\``)
      .join(", ")}: settings of one messaging platform each (\`agent help gateway\`)`,
};

/** Definitions of commands among the loaded modules, by path. */
export function commandsIn(modules: Modules): AnyCommand[] {
  const found = [...modules].flatMap(([path, module]) =>
    path.startsWith("lib/commands/") && module["default"] ? [module["default"] as AnyCommand] : [],
  ); // the index refused all else
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Definitions of tools among the loaded modules, by name. */
export function toolsIn(modules: Modules): AnyTool[] {
  const found = [...modules].flatMap(([path, module]) =>
    path.startsWith("lib/tools/") && module["default"] ? [module["default"] as AnyTool] : [],
  ); // the index refused all else
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function platformsIn(modules: Modules): PlatformDefinition[] {
  const found = [...modules].flatMap(([path, module]) =>
    path.startsWith("adapters/platforms/") && module["default"] ? [module["default"] as PlatformDefinition] : [],
  ); // the index refused all else
  return found.toSorted((a, b) => (a.tag < b.tag ? -1 : 1));
}

function renderPlatform({ tag, summary, credentials }: PlatformDefinition): string {
  const needed = credentials.map((name) => `\`${tag.toUpperCase()}_${name}\``).join(", ");
  return `- \`${tag}\`: ${summary} Needs ${needed}.`;
}

/** Options that every command takes. */
function globalsIn(modules: Modules): FlagMeta[] {
  const module = modules.get("lib/commands/globals.ts");
  return [module?.["GLOBALS"], module?.["KANBAN_GLOBALS"]].flatMap((list) => (Array.isArray(list) ? list : []));
}

/** Without options: `--help` of the command shows them. */
function renderCommand(command: AnyCommand): string {
  const flags = describeFlags(command);
  const places = (command.positionals ?? []).map((place) => renderPlace(place, flags));
  const form = [nameOf(command, command.path), ...places].join(" ");
  const also = command.aliases?.length
    ? ` Also ${command.aliases.map((alias) => `\`${nameOf(command, alias)}\``).join(", ")}.`
    : "";
  return `- \`${form}\`: ${command.summary}${also}`;
}

/** As it is typed: `/undo` for a command that only chats have. */
export const nameOf = (command: AnyCommand, path: string): string =>
  `${command.surfaces.includes("cli") ? "agent " : "/"}${path}`;

function renderPlace(place: string, flags: readonly FlagMeta[]): string {
  const name = place.replace(/\.\.\.$/, "");
  const many = place.endsWith("...") ? "..." : "";
  return flags.find((flag) => flag.name === name)?.required ? `<${name}>${many}` : `[${name}]${many}`;
}

function renderFlag(flag: FlagMeta): string {
  const value = flag.type === "boolean" ? "" : ` ${flag.choices?.join("|") ?? flag.type.toUpperCase()}`;
  return `\`--${flag.name.replaceAll("_", "-")}${value}\`${flag.array ? ", repeatable" : ""}: ${flag.describe}`;
}

function renderErrors(table: unknown): string {
  const entries: [string, { exit: number; http: number; hint: string }][] = Object.entries(table ?? {});
  return entries.map(([code, { exit, http, hint }]) => `- \`${code}\` exit ${exit}, HTTP ${http}: ${hint}`).join("\n");
}

function renderMoves(table: unknown): string {
  const rows: { from: string[]; on: string; guard?: string; to: string; emits: string[] }[] = Array.isArray(table)
    ? table
    : [];
  return rows
    .map(
      ({ from, on, guard, to, emits }) =>
        `- ${from.join(", ")} -> ${to}: ${on}${guard === undefined ? "" : ` (${guard})`}; event ${emits.join(", ")}`,
    )
    .join("\n");
}

/** Indented as a block: a terminal shows it as it stands, and a viewer of mermaid draws it. */
function renderDiagram(render: unknown): string {
  if (typeof render !== "function") return "";
  return String(render())
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}

function renderReasons(table: unknown): string {
  const entries: [string, { means: string; todo: string }][] = Object.entries(table ?? {});
  return entries
    .map(([code, { means, todo }]) => `- \`${code}\`: ${means}.${todo === "nothing" ? "" : ` To do: ${todo}.`}`)
    .join("\n");
}

function renderDiagnostics(table: unknown): string {
  const entries: [string, { raised: string; severity: string }][] = Object.entries(table ?? {});
  return entries.map(([kind, { raised, severity }]) => `- \`${kind}\` (${severity}): ${raised}`).join("\n");
}

function renderTool(tool: AnyTool): string {
  const first = /^.*?[.!?](?=\s|$)/s.exec(tool.description)?.[0] ?? tool.description;
  return `- \`${tool.name}\` (${tool.toolset}, ${tool.risk}): ${first.replaceAll(/\s+/g, " ")}`;
}
