import * as z from "zod";
import { commentShape } from "../../../contracts/wire/shapes/records.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery } from "../request/asked.js";
import { author } from "./given.js";
import { taskPath, taskToChange } from "./place.js";
import { expectedVersion } from "./precondition.js";

/** Say something about a task. */
export const addComment = defineEndpoint({
  method: "POST",
  path: "/tasks/:id/comments",
  summary: "Comment on a task.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  body: z.object({
    text: z.string().nullish().describe("At most 64 KiB."),
    body: z.string().nullish().describe("Another name of `text`."),
    author: author.describe("Default: user."),
  }),
  answer: z.object({ ok: z.literal(true), comment: commentShape }),
  errors: [404, 412, 413],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToChange(parts, request);
    await expectedVersion(parts, { board, id }, request);
    const { text, body, author: name } = request.body;
    const said = await parts.board.comment(board, id, text ?? body ?? "", { kind: "human", name: name || "user" });
    return { json: { ok: true, comment: said.comment } };
  },
});
