import { isRecord } from "../base/json/record.js";
import type { McpLists, McpTool } from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { McpToolInfo } from "../contracts/mcp/mcp.js";
import { toolName } from "../contracts/mcp/tool-name.js";
import type { Effects, ToolContext, ToolDefinition, ToolResult } from "../tools/core/define.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { entryOf, jsonTool } from "../tools/core/json-tool.js";
import { toolNames, toolsetOf } from "./names.js";
import type { ServerRequest } from "./parked.js";
import { pinOf } from "./pin.js";

const RESULT_CHARS = 100_000;
const PREVIEW_CHARS = 120;

/** A tool of a server, by the name that models know. */
export interface NamedTool {
  readonly name: string;
  readonly tool: McpTool;
  readonly enabled: boolean;
}

/** The tools of a server with their names. What the entry leaves out keeps its name, so that no other one gets it. */
export function namedTools(server: string, { tools }: McpEntry, lists: McpLists): readonly NamedTool[] {
  const names = toolNames(
    server,
    lists.tools.map(({ name }) => name),
  );
  const isOffered = (name: string): boolean =>
    tools.include === undefined ? tools.exclude?.includes(name) !== true : tools.include.includes(name);
  return lists.tools.map((tool, at) => ({ name: names[at] ?? "", tool, enabled: isOffered(tool.name) }));
}

/** The same for people. */
export const toolInfos = (server: string, entry: McpEntry, lists: McpLists): readonly McpToolInfo[] => [
  ...namedTools(server, entry, lists).map(({ name, tool, enabled }) => ({
    server,
    name,
    remote: tool.name,
    description: tool.description,
    readOnly: tool.readOnly,
    destructive: tool.destructive,
    enabled,
  })),
  ...utilities(server, entry, lists).map(({ name, description }) => ({
    server,
    name,
    remote: "",
    description,
    readOnly: true,
    destructive: false,
    enabled: true,
  })),
];

/** Runs a request of a model at a server. */
export type RunAt = (request: ServerRequest, ctx: ToolContext) => Promise<ToolResult>;

/** What a server offers, as tools (extensions part, 2.2). */
export function toolEntries(server: string, entry: McpEntry, lists: McpLists, run: RunAt): readonly ToolEntry[] {
  const own = namedTools(server, entry, lists)
    .filter(({ enabled }) => enabled)
    .map(({ name, tool }) => toolEntry({ server, entry, run }, name, tool));
  const taken = new Set(own.map(({ name }) => name));
  const more = utilities(server, entry, lists)
    .filter(({ name }) => !taken.has(name))
    .map((utility) => utilityEntry({ server, entry, run }, utility));
  return [...own, ...more];
}

interface At {
  readonly server: string;
  readonly entry: McpEntry;
  readonly run: RunAt;
}

function toolEntry({ server, entry, run }: At, name: string, tool: McpTool): ToolEntry {
  const asked = entry.approve === "all" || (entry.approve === "destructive" && !tool.readOnly);
  return entryOf(
    jsonTool({
      name,
      toolset: toolsetOf(server),
      description: tool.description || `${tool.name} of MCP server ${server}`,
      schema: tool.schema,
      risk: "external",
      effects: () => effectsAt(entry),
      limits: { ms: 0, chars: RESULT_CHARS },
      preview: (args) => preview(server, tool.name, args),
      run: (args, ctx) =>
        run(
          {
            method: "tools/call",
            params: { name: tool.name, arguments: args },
            again: tool.readOnly || tool.idempotent,
          },
          ctx,
        ),
      ...(asked ? declared(server, tool) : {}),
    }),
    { kind: "mcp", name: server },
  );
}

/** A person is asked before such a tool runs; what was allowed counts while the tool stays what it is. */
const declared = (server: string, tool: McpTool): Pick<ToolDefinition, "declares"> => {
  const what = tool.readOnly ? "" : ", which does not say that it only reads";
  const risk = { class: "tool-risk" as const, text: `${tool.name} of MCP server ${server}${what}`, pin: pinOf(tool) };
  return { declares: () => risk };
};

const effectsAt = (entry: McpEntry): Effects =>
  entry.supports_parallel_tool_calls ? { reads: ["net"], writes: [] } : { reads: [], writes: ["world"] };

function preview(server: string, tool: string, args: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(args)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  return `${server} ${tool} ${given}`.replace(/\s+/g, " ").trim().slice(0, PREVIEW_CHARS);
}

interface Utility {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly request: (args: Readonly<Record<string, unknown>>) => Omit<ServerRequest, "again">;
}

const NO_ARGUMENTS = { type: "object", properties: {} } as const;

function utilities(server: string, { tools }: McpEntry, lists: McpLists): readonly Utility[] {
  const resources: readonly Utility[] = [
    {
      name: toolName(server, "list_resources"),
      description: `List the resources of MCP server ${server}.`,
      schema: NO_ARGUMENTS,
      request: () => ({ method: "resources/list", params: {} }),
    },
    {
      name: toolName(server, "read_resource"),
      description: `Read one resource of MCP server ${server}.`,
      schema: {
        type: "object",
        properties: { uri: { type: "string", description: "Address of the resource." } },
        required: ["uri"],
      },
      request: ({ uri }) => ({ method: "resources/read", params: { uri } }),
    },
  ];
  const prompts: readonly Utility[] = [
    {
      name: toolName(server, "list_prompts"),
      description: `List the prompts of MCP server ${server}.`,
      schema: NO_ARGUMENTS,
      request: () => ({ method: "prompts/list", params: {} }),
    },
    {
      name: toolName(server, "get_prompt"),
      description: `Get one prompt of MCP server ${server}, filled in.`,
      schema: {
        type: "object",
        properties: {
          name: { type: "string", description: "Name of the prompt." },
          arguments: {
            type: "object",
            description: "Values by name, as text.",
            additionalProperties: { type: "string" },
          },
        },
        required: ["name"],
      },
      request: ({ name, arguments: given }) => ({
        method: "prompts/get",
        params: { name, ...(isRecord(given) ? { arguments: given } : {}) },
      }),
    },
  ];
  return [
    ...(lists.resources !== undefined && tools.resources ? resources : []),
    ...(lists.prompts !== undefined && tools.prompts ? prompts : []),
  ];
}

const utilityEntry = ({ server, entry, run }: At, { name, description, schema, request }: Utility): ToolEntry =>
  entryOf(
    jsonTool({
      name,
      toolset: toolsetOf(server),
      description,
      schema,
      risk: "external",
      effects: () => effectsAt(entry),
      limits: { ms: 0, chars: RESULT_CHARS },
      preview: (args) => preview(server, name, args),
      run: (args, ctx) => run({ ...request(args), again: true }, ctx),
    }),
    { kind: "mcp", name: server },
  );
