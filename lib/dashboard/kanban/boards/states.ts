import * as z from "zod";
import { listedBoardShape } from "../../../contracts/wire/shapes/boards.js";
import { defineEndpoint, type Endpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { DASHBOARD } from "../request/asked.js";
import { findNamedBoard } from "./records.js";

const tag = "boards";
const params = z.object({ slug: z.string().describe("board") });
const answer = z.object({ board: listedBoardShape });

/** Which board is current, and whether one starts workers. */
export const BOARD_STATE_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "POST",
    path: "/boards/:slug/switch",
    summary: "Select the current board.",
    tag,
    params,
    answer: z.object({ current: z.string() }),
    errors: [404],
    run: async (request, { board }: KanbanParts) => ({
      json: { current: await board.switchBoard(request.params.slug) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/boards/:slug/pause",
    summary: "Pause a board: no new workers start. Running workers continue, unless `now` stops them.",
    tag,
    params,
    body: z.object({
      reason: z.string().optional(),
      now: z.boolean().default(false).describe("also stop the running workers"),
    }),
    answer,
    errors: [404, 409],
    run: async (request, parts: KanbanParts) => ({
      json: {
        board: await parts.board.pause(await findNamedBoard(parts, request.params.slug), request.body, DASHBOARD),
      },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/boards/:slug/resume",
    summary: "Resume a board.",
    tag,
    params,
    answer,
    errors: [404],
    run: async (request, parts: KanbanParts) => ({
      json: { board: await parts.board.resume(await findNamedBoard(parts, request.params.slug), DASHBOARD) },
    }),
  }),
  defineEndpoint({
    method: "POST",
    path: "/boards/:slug/restore",
    summary: "Restore an archived board, by its archived name or the newest copy of a slug.",
    tag,
    params,
    body: z.object({ as: z.string().optional().describe("use another slug") }),
    answer: z.object({ board: listedBoardShape, warnings: z.array(z.string()) }),
    errors: [404, 409],
    run: async (request, { board }: KanbanParts) => ({
      json: await board.restoreBoard(request.params.slug, { as: request.body.as }, DASHBOARD),
    }),
  }),
];
