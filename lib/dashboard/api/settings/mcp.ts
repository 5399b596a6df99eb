import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { readMcpEntry } from "../../../contracts/mcp/entry.js";
import { mcpListedShape, mcpStatusShape, mcpTestShape, mcpToolShape } from "../../../contracts/wire/shapes/mcp.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "mcp";
const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, "lowercase letters, digits, _ and -")
  .describe("server");
const params = z.object({ name: z.string().min(1).max(64).describe("server") });
const switched = z.object({ ok: z.boolean(), name: z.string(), enabled: z.boolean() });

/** MCP servers of this home. */
export const MCP_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/mcp/servers",
    summary: "List the configured MCP servers, secrets masked.",
    tag,
    answer: z.object({ servers: z.array(mcpListedShape) }),
    run: async ({ signal }, { command }: DashboardParts) => ({ json: await command("mcp list", {}, signal) }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/mcp/status",
    summary: "Show the state of the MCP servers.",
    tag,
    query: z.object({ name: z.string().max(64).optional().describe("this server only") }),
    answer: z.object({ servers: z.array(mcpStatusShape) }),
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("mcp status", query, signal),
    }),
  }),
  defineEndpoint({
    method: "GET",
    path: "/mcp/servers/:name/tools",
    summary: "List the tools of an MCP server.",
    tag,
    params,
    answer: z.object({ name: z.string(), tools: z.array(mcpToolShape) }),
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("mcp tools", params, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/mcp/servers",
    summary: "Add an MCP server. One that cannot be reached is not saved without force.",
    tag,
    body: z.object({
      name,
      entry: z
        .record(z.string(), z.unknown())
        .describe("as mcp_servers.<name>; secrets as references to variables of .env"),
      force: z.boolean().default(false).describe("save it although it cannot be reached"),
    }),
    answer: mcpTestShape.extend({ saved: z.boolean() }),
    run: async ({ body, signal }, parts: DashboardParts) => ({ json: await addServer(parts, body, signal) }),
  }),
  defineEndpoint({
    method: "DELETE",
    path: "/mcp/servers/:name",
    summary: "Remove an MCP server with its stored login.",
    tag,
    params,
    answer: z.object({ ok: z.boolean(), name: z.string() }),
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("mcp remove", params, signal),
    }),
  }),
  ...(["enable", "disable"] as const).map((verb) =>
    defineEndpoint({
      method: "POST",
      path: `/mcp/servers/:name/${verb}`,
      summary: verb === "enable" ? "Enable an MCP server." : "Disable an MCP server and stop it.",
      tag,
      params,
      answer: switched,
      run: async ({ params, signal }, { command }: DashboardParts) => ({
        json: await command(`mcp ${verb}`, params, signal),
      }),
    }),
  ),
  defineEndpoint({
    method: "POST",
    path: "/mcp/servers/:name/test",
    summary: "Connect to an MCP server as a turn does.",
    tag,
    params,
    answer: mcpTestShape,
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("mcp test", params, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/mcp/servers/:name/reconnect",
    summary: "Connect to an MCP server again at once.",
    tag,
    params,
    answer: mcpStatusShape,
    run: async ({ params, signal }, { command }: DashboardParts) => ({
      json: await command("mcp reconnect", params, signal),
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/mcp/servers/:name/login",
    summary:
      "Start a login to an MCP server. Open the address in a browser on the owner's machine; the server's state shows the outcome.",
    tag,
    params,
    answer: z.object({ name: z.string(), url: z.string() }),
    run: async ({ params: { name } }, { memory, mcp }: DashboardParts) => ({
      json: { name, url: await memory.mcpLogins.start(mcp, name) },
    }),
  }),
];

interface NewServer {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly force: boolean;
}

/** Saved first, so that it is tried as a turn would use it; taken back when that fails. */
async function addServer(
  { settings, command, env }: DashboardParts,
  { name, entry, force }: NewServer,
  signal: AbortSignal,
) {
  const key = `mcp_servers.${name}`;
  if (settings.get(key) !== undefined)
    throw new AppError("E_CONFLICT", `an MCP server '${name}' is already configured`, { name });
  const read = readMcpEntry(name, entry, env);
  if (!read.ok) throw new AppError("E_INVALID", `${name}: ${read.error}`, { name });
  await settings.set(key, JSON.stringify(entry), { asText: false, force: false });
  const outcome = mcpTestShape.parse(await command("mcp test", { name }, signal));
  const saved = outcome.ok || force;
  if (!saved) await settings.unset(key);
  return { ...outcome, saved };
}
