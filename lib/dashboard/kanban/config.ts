import * as z from "zod";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../core/parts.js";
import { KANBAN_PAGE } from "./keys.js";

/** How the page of the board begins. */
export const CONFIG_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/config",
    summary: "Read the initial settings of the board page.",
    tag: "page",
    answer: z.object({
      default_tenant: z.string(),
      lane_by_profile: z.boolean(),
      include_archived_by_default: z.boolean(),
      render_markdown: z.boolean(),
    }),
    run: async (_request, { config }: KanbanParts) => ({
      json: {
        default_tenant: config.get(KANBAN_PAGE.defaultTenant),
        lane_by_profile: config.get(KANBAN_PAGE.laneByProfile),
        include_archived_by_default: config.get(KANBAN_PAGE.includeArchived),
        render_markdown: config.get(KANBAN_PAGE.renderMarkdown),
      },
    }),
  }),
];
