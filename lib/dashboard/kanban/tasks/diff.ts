import * as z from "zod";
import { taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery } from "../request/asked.js";
import { taskPath, taskToRead } from "./place.js";

/** Characters of an answer: more is for a terminal. */
const MOST = 1 << 20;

/** What a worktree has that its base has not. */
export const getDiff = defineEndpoint({
  method: "GET",
  path: "/tasks/:id/diff",
  summary: "Read the changes of a task's worktree since its base, including new files; at most one million characters.",
  tag: "tasks",
  params: taskPath,
  query: boardQuery,
  answer: z.object({ task_id: taskId, diff: z.string(), truncated: z.boolean() }),
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const { board, id } = await taskToRead(parts, request);
    const enough = new AbortController();
    let diff = "";
    for await (const piece of parts.board.diff(board, id, AbortSignal.any([request.signal, enough.signal]))) {
      diff += piece;
      if (diff.length > MOST) break;
    }
    enough.abort();
    return { json: { task_id: id, diff: diff.slice(0, MOST), truncated: diff.length > MOST } };
  },
});
