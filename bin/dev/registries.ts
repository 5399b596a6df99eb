import * as z from "zod";
import type { MentionDefinition } from "../../lib/chat/mentions/define.js";
import type { AnyCommand } from "../../lib/commands/define.js";
import type { CommandEntry, FlagMeta } from "../../lib/commands/entry.js";
import type { AnyTool } from "../../lib/tools/core/define.js";
import { pruneSchema } from "../../lib/tools/core/schema.js";

export interface Found {
  readonly file: string;
  readonly definition: unknown;
}

/** A folder of definitions and the text of its index. */
export interface Registry {
  readonly folder: string;
  render(found: readonly Found[]): string;
}

const HEAD = "// Written by `make index`. Do not edit.\n";

export const COMMANDS: Registry = {
  folder: "lib/commands",
  render: (found) => {
    const entries = found.map(({ file, definition }) => ({
      file,
      entry: describeCommand(asCommand(definition, file)),
    }));
    refuseTwice(
      entries.flatMap(({ file, entry }) =>
        [entry.path, ...(entry.aliases ?? [])].map((name): [string, string] => [name, file]),
      ),
    );
    const sorted = entries.toSorted((a, b) => compare(a.entry.path, b.entry.path));
    const items = sorted.map(({ file, entry }) => withLoader(entry, file, COMMANDS.folder));
    return `${HEAD}import type { CommandEntry } from "./entry.js";\n\nexport const COMMANDS: readonly CommandEntry[] = [\n${items.map((item) => `${item}\n`).join("")}];\n`;
  },
};

export const TOOLS: Registry = {
  folder: "lib/tools",
  render: (found) => {
    const entries = found.map(({ file, definition }) => ({ file, entry: describeTool(asTool(definition, file)) }));
    refuseTwice(entries.map(({ file, entry }) => [entry.name, file]));
    const items = entries
      .toSorted((a, b) => compare(a.entry.name, b.entry.name))
      .map(({ file, entry }) => withLoader(entry, file, TOOLS.folder));
    return `${HEAD}import type { ToolEntry } from "./core/entry.js";\n\nexport const TOOLS: readonly ToolEntry[] = [\n${items.map((item) => `${item}\n`).join("")}];\n`;
  },
};

export const PROVIDERS: Registry = {
  folder: "adapters/providers",
  render: (found) => {
    const entries = found.map(({ file, definition }) => ({ file, entry: { id: asProvider(definition, file) } }));
    refuseTwice(entries.map(({ file, entry }) => [entry.id, file]));
    const items = entries
      .toSorted((a, b) => compare(a.entry.id, b.entry.id))
      .map(({ file, entry }) => withLoader(entry, file, PROVIDERS.folder));
    return `${HEAD}export const PROVIDERS = [\n${items.map((item) => `${item}\n`).join("")}] as const;\n`;
  },
};

export const PROVIDER_IDS_FILE = "lib/models/core/provider-ids.gen.ts";

/** Text of the list of providers, for settings that name one, which load none. */
export function providerIds(found: readonly Found[]): string {
  const ids = found.map(({ file, definition }) => asProvider(definition, file)).toSorted(compare);
  const list = ids.map((id) => JSON.stringify(id)).join(", ");
  return `${HEAD}/** The providers that can be loaded: wire protocols, and the built-in one. */\nexport const PROVIDER_IDS = [${list}] as const;\n`;
}

/** Nothing of a platform is loaded before it is known to be wanted; its file may stand in a folder of its own. */
export const PLATFORMS: Registry = {
  folder: "adapters/platforms",
  render: (found) => {
    const entries = found.map(({ file, definition }) => ({ file, entry: describePlatform(definition, file) }));
    refuseTwice(entries.map(({ file, entry }) => [entry.tag, file]));
    const items = entries
      .toSorted((a, b) => compare(a.entry.tag, b.entry.tag))
      .map(({ file, entry }) => withLoader(entry, file, PLATFORMS.folder));
    const rows = items.length === 0 ? "[]" : `[\n${items.map((item) => `${item}\n`).join("")}]`;
    return `${HEAD}import type { PlatformEntry } from "../../lib/gateway/adapter/define-platform.js";\n\nexport const PLATFORMS: readonly PlatformEntry[] = ${rows};\n`;
  },
};

export const MENTIONS: Registry = {
  folder: "lib/chat/mentions/kinds",
  render: (found) => {
    const entries = found.map(({ file, definition }) => ({ file, entry: describeMention(definition, file) }));
    refuseTwice(entries.map(({ file, entry }) => [entry.name, file]));
    const items = entries
      .toSorted((a, b) => compare(a.entry.name, b.entry.name))
      .map(({ file, entry }) => withLoader(entry, file, MENTIONS.folder));
    return `${HEAD}import type { MentionEntry } from "../define.js";\n\nexport const MENTIONS: readonly MentionEntry[] = [\n${items.map((item) => `${item}\n`).join("")}];\n`;
  },
};

function describeMention(value: unknown, file: string): Pick<MentionDefinition, "name" | "form" | "detail"> {
  mustHave(value, file, "mention", ["name", "form", "detail", "make"]);
  const { name, form, detail } = value as unknown as MentionDefinition; // made by defineMention, as the file says
  return { name, form, detail };
}

/** The entry with what loads its file, by the way from the folder of the index. */
function withLoader(entry: object, file: string, folder: string): string {
  const module = JSON.stringify(`./${file.slice(folder.length + 1).replace(/\.ts$/, "")}.js`);
  return `  {\n${Object.entries(entry)
    .map(([key, value]) => `    ${key}: ${JSON.stringify(value)},\n`)
    .join("")}    load: async () => (await import(${module})).default,\n  },`;
}

function describeCommand(command: AnyCommand): Omit<CommandEntry, "load"> {
  return {
    path: command.path,
    ...(command.aliases && { aliases: command.aliases }),
    summary: command.summary,
    topic: command.topic,
    surfaces: command.surfaces,
    access: command.access,
    ...(command.self && { self: command.self }),
    ...(command.fromTools && { fromTools: true }),
    ...(command.follow && { follow: true }),
    ...(command.followsWith && { followsWith: command.followsWith }),
    ...(command.resumesWith && { resumesWith: command.resumesWith }),
    ...(command.staysWith && { staysWith: command.staysWith }),
    ...(command.listens && { listens: true }),
    ...(command.outside && { outside: true }),
    ...(command.asksWith && { asksWith: command.asksWith }),
    ...(command.writesWith && { writesWith: command.writesWith }),
    ...(command.where && { where: command.where }),
    ...(command.whole && { whole: true }),
    ...(command.verbatim && { verbatim: true }),
    ...(command.busy && command.busy !== "now" && { busy: command.busy }),
    ...(command.stdin && { stdin: true }),
    ...(command.positionals && { positionals: command.positionals }),
    ...(command.short && { short: command.short }),
    flags: describeFlags(command),
  };
}

interface PropertySchema {
  type?: string | string[];
  items?: PropertySchema;
  anyOf?: PropertySchema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  description?: string;
}

/** Parameters of a command, read from its schema. A parameter without a help text gets an empty one, which `check-help` refuses. */
export function describeFlags(command: AnyCommand): FlagMeta[] {
  const schema: { properties?: Record<string, PropertySchema>; required?: string[] } = z.toJSONSchema(command.params, {
    io: "input",
    unrepresentable: "any",
  }) as never; // the shape that JSON Schema gives an object
  return Object.entries(schema.properties ?? {}).map(([name, property]) => {
    const own = property.type === "array" ? (property.items ?? {}) : property;
    const choices =
      own.enum ?? own.anyOf?.flatMap((option) => option.enum ?? (option.const === undefined ? [] : [option.const]));
    return {
      name,
      type: flagType(own),
      describe: property.description ?? "",
      ...(property.type === "array" && { array: true as const }),
      ...(schema.required?.includes(name) && { required: true as const }),
      ...(property.default !== undefined && { default: property.default }),
      ...(choices !== undefined && choices.length > 0 && { choices: choices.map(String) }),
    };
  });
}

function flagType(schema: PropertySchema): FlagMeta["type"] {
  const types = schema.anyOf?.map((option) => option.type) ?? [schema.type].flat();
  if (types.includes("boolean")) return "boolean";
  const numeric = types.includes("number") || types.includes("integer");
  return numeric && !types.includes("string") ? "number" : "string";
}

function describeTool(tool: AnyTool) {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.params, { io: "input", unrepresentable: "any" });
  return {
    name: tool.name,
    toolset: tool.toolset,
    description: tool.description,
    risk: tool.risk,
    ...(tool.core === false && { core: false }),
    ...((tool.available ?? tool.adapt) && { conditional: true }),
    schema: pruneSchema(schema),
  };
}

function asCommand(value: unknown, file: string): AnyCommand {
  mustHave(value, file, "command", ["path", "summary", "params", "run"]);
  return value as unknown as AnyCommand; // made by defineCommand, as the file says
}

function asTool(value: unknown, file: string): AnyTool {
  mustHave(value, file, "tool", ["name", "toolset", "params", "run"]);
  return value as unknown as AnyTool; // made by defineTool, as the file says
}

function asProvider(value: unknown, file: string): string {
  mustHave(value, file, "provider", ["id", "summary", "create"]);
  return String(value["id"]);
}

function describePlatform(
  value: unknown,
  file: string,
): { tag: string; summary: unknown; credentials: unknown; switches?: unknown } {
  mustHave(value, file, "platform", ["tag", "summary", "traits", "credentials", "create"]);
  const { tag, summary, credentials, switches } = value;
  return { tag: String(tag), summary, credentials, ...(switches === undefined ? {} : { switches }) };
}

/** @throws naming what the default export lacks */
function mustHave(
  value: unknown,
  file: string,
  kind: string,
  keys: readonly string[],
): asserts value is Record<string, unknown> {
  const given = typeof value === "object" && value !== null ? value : {};
  const missing = keys.filter((key) => !(key in given));
  if (missing.length > 0)
    throw new Error(`${file}: the default export is not a ${kind}: ${missing.join(", ")} missing`);
}

function refuseTwice(names: readonly (readonly [name: string, file: string])[]): void {
  const first = new Map<string, string>();
  for (const [name, file] of names) {
    const other = first.get(name);
    if (other !== undefined) throw new Error(`${name} is defined in ${other} and in ${file}`);
    first.set(name, file);
  }
}

const compare = (a: string, b: string) => (a < b ? -1 : Number(a > b));
