import { type Client, ProtocolError, type Tool } from "@modelcontextprotocol/client";
import type { Ms } from "../../lib/base/units.js";
import type { McpLists, McpTool } from "../../lib/contracts/mcp/connection.js";
import { mendedSchema } from "./schema.js";

/** Extensions part, 2.2. */
const PAGES = 50;
const ITEMS = 5_000;
const LIST_CHARS = 16 << 20;
const DESCRIPTION_CHARS = 16_000;

interface Reading {
  /** Filled with the tools as the server defines them. */
  readonly tools: Map<string, Tool>;
  readonly timeoutMs: Ms;
  readonly signal?: AbortSignal;
}

interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | undefined;
  readonly ttl: Ms | undefined;
}

/** Everything that a server offers. */
export async function readLists(client: Client, reading: Reading): Promise<McpLists> {
  const offers = client.getServerCapabilities() ?? {};
  const options = {
    timeout: reading.timeoutMs,
    ...(reading.signal === undefined ? {} : { signal: reading.signal }),
  };
  const ask = async (method: "tools/list" | "resources/list" | "prompts/list", params: { cursor?: string }) =>
    (await client.request({ method, params }, options)) as Readonly<Record<string, unknown>>; // results are objects
  const pageOf = <T>(answer: Readonly<Record<string, unknown>>, key: string): Page<T> => ({
    items: answer[key] as readonly T[], // the client has checked it against the protocol
    nextCursor: typeof answer["nextCursor"] === "string" ? answer["nextCursor"] : undefined,
    ttl: typeof answer["ttlMs"] === "number" && answer["ttlMs"] > 0 ? answer["ttlMs"] : undefined,
  });
  // Asked at once: a call waits for them, and one after the other they take three times as long.
  const [tools, resources, prompts] = await Promise.all([
    offers.tools === undefined
      ? NOTHING
      : pages<Tool>(async (cursor) => pageOf(await ask("tools/list", cursor), "tools")),
    offers.resources === undefined
      ? undefined
      : counted(async (cursor) => pageOf(await ask("resources/list", cursor), "resources")),
    offers.prompts === undefined
      ? undefined
      : counted(async (cursor) => pageOf(await ask("prompts/list", cursor), "prompts")),
  ]);
  reading.tools.clear();
  for (const tool of tools.items) reading.tools.set(tool.name, tool);
  return {
    tools: [...reading.tools.values()].map(toolOf),
    ...(resources === undefined ? {} : { resources }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(tools.ttl === undefined ? {} : { ttl_ms: tools.ttl }),
  };
}

interface Whole<T> {
  readonly items: readonly T[];
  readonly ttl: Ms | undefined;
}

const NOTHING: Whole<Tool> = { items: [], ttl: undefined };

async function pages<T>(ask: (cursor: { cursor?: string }) => Promise<Page<T>>): Promise<Whole<T>> {
  const items: T[] = [];
  let cursor: { cursor?: string } = {};
  let ttl: Ms | undefined;
  let chars = 0;
  for (let page = 0; page < PAGES && items.length < ITEMS && chars < LIST_CHARS; page++) {
    const got = await ask(cursor);
    ttl ??= got.ttl;
    chars += JSON.stringify(got.items).length;
    items.push(...got.items);
    if (got.nextCursor === undefined || got.nextCursor === cursor.cursor) break;
    cursor = { cursor: got.nextCursor };
  }
  return { items: items.slice(0, ITEMS), ttl };
}

/** Their number. A server that says that it has some and cannot list them counts as having tools. */
async function counted(ask: (cursor: { cursor?: string }) => Promise<Page<unknown>>): Promise<number> {
  try {
    return (await pages(ask)).items.length;
  } catch (error) {
    if (error instanceof ProtocolError) return 0;
    throw error;
  }
}

function toolOf(tool: Tool): McpTool {
  const { annotations } = tool;
  const readOnly = annotations?.readOnlyHint === true;
  return {
    name: tool.name,
    description: (tool.description ?? tool.title ?? annotations?.title ?? "").slice(0, DESCRIPTION_CHARS),
    schema: mendedSchema(tool.inputSchema),
    readOnly,
    destructive: !readOnly && annotations?.destructiveHint !== false,
    idempotent: annotations?.idempotentHint === true,
  };
}
