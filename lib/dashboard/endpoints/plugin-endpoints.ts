import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { DashboardParts } from "../core/parts.js";
import { shownSchema } from "../plugins/manifest.js";

const tag = "dashboard";

/** What the page loads beside itself. */
export const PLUGIN_ENDPOINTS: readonly Endpoint<DashboardParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/api/dashboard/plugins",
    summary: "List enabled plugins with a page.",
    tag,
    answer: z.object({ plugins: z.array(shownSchema) }),
    run: async (_request, { plugins }: DashboardParts) => ({ json: { plugins: await plugins.list() } }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/api/dashboard/plugins/rescan",
    summary: "Scan for plugins again, and reload those that changed.",
    tag,
    answer: z.object({ ok: z.literal(true), count: z.int(), plugins: z.array(shownSchema) }),
    run: async (_request, { plugins }: DashboardParts) => {
      const found = await plugins.rescan();
      return { json: { ok: true, count: found.length, plugins: found } };
    },
  }),
];
