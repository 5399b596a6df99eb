import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { DashboardParts } from "../../core/parts.js";

const tag = "tools";

const listing = z.object({
  wanted: z.array(z.string()),
  disabled: z.array(z.string()),
  notices: z.array(z.string()),
  tools: z.array(
    z.object({
      name: z.string(),
      toolset: z.string(),
      risk: z.string(),
      summary: z.string(),
      offered: z.boolean(),
      why: z.string().nullable(),
      core: z.boolean(),
    }),
  ),
  toolsets: z.array(
    z.object({
      name: z.string(),
      kind: z.enum(["set", "composite", "preset"]),
      tools: z.array(z.string()),
      on: z.boolean(),
    }),
  ),
});

/** What new sessions are offered. */
export const TOOL_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/tools",
    summary: "List tools and toolsets, and why some are not offered.",
    tag,
    query: z.object({
      platform: z.string().max(64).optional().describe("front end: cli, gateway, ..."),
    }),
    answer: listing,
    run: async ({ query, signal }, { command }: DashboardParts) => ({
      json: await command("tools list", query, signal),
    }),
  }),
  defineEndpoint({
    method: "PUT",
    path: "/tools/toolsets/:name",
    summary: "Enable or disable a toolset for all sessions.",
    tag,
    params: z.object({ name: z.string().describe("toolset") }),
    body: z.object({ enabled: z.boolean() }),
    answer: z.object({
      ok: z.boolean(),
      enabled: z.array(z.string()).exactOptional(),
      disabled: z.array(z.string()).exactOptional(),
      toolsets: z.array(z.string()).describe("enabled toolsets"),
    }),
    run: async ({ params, body, signal }, { command }: DashboardParts) => ({
      json: await command(
        body.enabled ? "tools enable" : "tools disable",
        { names: [params.name], global: true },
        signal,
      ),
    }),
  }),
];
