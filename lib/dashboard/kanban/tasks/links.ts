import * as z from "zod";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, DASHBOARD, fullTaskId } from "../request/asked.js";

const ends = {
  parent_id: z.string().describe("The task to wait for."),
  child_id: z.string().describe("The waiting task."),
};
const answer = z.object({ ok: z.literal(true) });

/** Let a task wait for another. A link that exists already is not an error. */
export const addLink = defineEndpoint({
  method: "POST",
  path: "/links",
  summary: "Make a task depend on another.",
  tag: "links",
  query: boardQuery,
  body: z.object(ends),
  answer,
  errors: [404, 409, 413],
  run: async ({ query, body }, parts: KanbanParts) => {
    const board = await boardToChange(parts, query);
    await parts.board.link(board, fullTaskId(body.parent_id), fullTaskId(body.child_id), DASHBOARD);
    return { json: { ok: true } };
  },
});

/** Let a task no longer wait; what nothing else holds back becomes ready. */
export const dropLink = defineEndpoint({
  method: "DELETE",
  path: "/links",
  summary: "Remove a dependency.",
  tag: "links",
  query: boardQuery.extend(ends),
  answer,
  errors: [404],
  run: async ({ query }, parts: KanbanParts) => {
    const board = await boardToChange(parts, query);
    await parts.board.unlink(board, fullTaskId(query.parent_id), fullTaskId(query.child_id), DASHBOARD);
    return { json: { ok: true } };
  },
});
