import * as z from "zod";
import { sha256 } from "../../../base/text/hash.js";
import type { BoardView } from "../../../contracts/board/explain.js";
import { boardViewShape } from "../../../contracts/wire/shapes/explain.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import { integerOf, switchOf } from "../../../http/query.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToRead } from "../request/asked.js";

/** Most cards of a column that one answer holds. */
const MOST_CARDS = 10_000;

/** Most tasks that one answer is asked for by their ids. */
const MOST_IDS = 500;

/** Ids with commas between them. Empty: none. */
const taskIds = z
  .string()
  .transform((text) => [...new Set(text.split(",").filter((id) => id !== ""))])
  .pipe(z.array(z.string()).max(MOST_IDS));

/** The board in columns (board part, 14.3). What did not change is not sent again. */
export const getBoard = defineEndpoint({
  method: "GET",
  path: "/board",
  summary: "Read a board as columns of cards.",
  tag: "board",
  query: boardQuery.extend({
    tenant: z.string().optional().describe("Only tasks of this tenant."),
    include_archived: switchOf("Include the column of archived tasks."),
    workflow_template_id: z.string().optional().describe("Reserved: matches no task."),
    current_step_key: z.string().optional().describe("Reserved: matches no task."),
    limit: integerOf(1, MOST_CARDS, "Cards of each column").default(500),
    ids: taskIds.optional().describe(`Only these tasks, with the totals of all; comma-separated, at most ${MOST_IDS}.`),
  }),
  answer: boardViewShape,
  errors: [304, 404],
  run: async ({ query, header }, parts: KanbanParts) => {
    const board = await boardToRead(parts, query);
    const { tenant, limit, include_archived: archived, ids } = query;
    const whole = await parts.board.view(board, { tenant: tenant || undefined, archived, limit, ids });
    const view = query.workflow_template_id || query.current_step_key ? emptied(whole) : whole;
    const etag = tagOfView(view);
    if (matches(header("if-none-match"), etag)) return { status: 304, headers: { etag } };
    return { json: view, headers: { etag } };
  },
});

/** Columns without cards: what nothing of the board has is asked for. */
const emptied = (view: BoardView): BoardView => ({
  ...view,
  columns: view.columns.map(({ name }) => ({ name, total: 0, tasks: [] })),
});

/** Weak, because the ages of what is shown do not count: they grow while nothing changes. */
function tagOfView(view: BoardView): string {
  // Inside a text the quotation marks of such a pattern are escaped, so only keys fit it.
  const lasting = JSON.stringify({ ...view, now: 0 }).replace(/"age":\{[^}]*\}/g, "");
  return `W/"${sha256(lasting).slice(0, 32)}"`;
}

const matches = (given: string | undefined, etag: string): boolean =>
  given !== undefined &&
  (given.trim() === "*" || given.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag.slice(2)));
