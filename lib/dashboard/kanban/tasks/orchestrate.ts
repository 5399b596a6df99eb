import * as z from "zod";
import type { TaskId } from "../../../base/units.js";
import type { DecomposeOutcome, SpecifyOutcome } from "../../../contracts/board/orchestration.js";
import { taskId } from "../../../contracts/wire/shapes/values.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, boardToChange, DASHBOARD } from "../request/asked.js";
import { author } from "./given.js";
import { taskPath } from "./place.js";

const body = z.object({ author: author.describe("Author of the comment (default: the name of the job).") });

const specified = z.object({
  task_id: z.string(),
  ok: z.boolean(),
  reason: z.string(),
  new_title: z.string().nullable().describe("Null: not given by the model."),
}) satisfies z.ZodType<SpecifyOutcome>;

const decomposed = specified.extend({
  fanout: z.boolean(),
  child_ids: z.array(taskId).nullable(),
}) satisfies z.ZodType<DecomposeOutcome>;

// A model is asked, which takes its time. That the client goes away is not a reason to stop: its signal is not handed on.
const about = { tag: "orchestration", params: taskPath, query: boardQuery, body, errors: [404] } as const;

/** Let a model turn a triage task into a specification. What goes wrong is an answer with `ok: false`. */
export const specifyTask = defineEndpoint({
  method: "POST",
  path: "/tasks/:id/specify",
  summary: "Turn a triage task into a specification with a model.",
  ...about,
  answer: specified,
  run: async (request, parts: KanbanParts) => {
    const board = await boardToChange(parts, request.query);
    return {
      json: await parts.board.specify(
        board,
        known(request.params.id),
        { author: request.body.author ?? undefined },
        DASHBOARD,
      ),
    };
  },
});

/** Let a model split a triage task into several. What goes wrong is an answer with `ok: false`. */
export const decomposeTask = defineEndpoint({
  method: "POST",
  path: "/tasks/:id/decompose",
  summary: "Split a triage task into several with a model.",
  ...about,
  answer: decomposed,
  run: async (request, parts: KanbanParts) => {
    const board = await boardToChange(parts, request.query);
    return {
      json: await parts.board.decompose(
        board,
        known(request.params.id),
        { author: request.body.author ?? undefined },
        DASHBOARD,
      ),
    };
  },
});

/** An id that nothing has is an outcome here, not an error. */
const known = (id: string): TaskId => id as TaskId; // proved by the look-up that follows
