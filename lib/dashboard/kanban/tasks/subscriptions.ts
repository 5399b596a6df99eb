import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import { subscriptionShape } from "../../../contracts/wire/shapes/records.js";
import { defineEndpoint } from "../../../http/endpoint.js";
import type { KanbanParts } from "../../core/parts.js";
import { boardQuery, DASHBOARD } from "../request/asked.js";
import { withoutNulls } from "./given.js";
import { taskPath, taskToChange, taskToRead, toWarning } from "./place.js";
import type { TaskPlace } from "./precondition.js";

const about = { path: "/tasks/:id/subscriptions", tag: "notifications", params: taskPath } as const;
const rows = z.object({ subscriptions: z.array(subscriptionShape) });
const text = z.string().nullish();

/** Subscriptions of a task that is there, oldest first. @throws E_NOT_FOUND */
async function rowsOf({ board: api }: KanbanParts, { board, id }: TaskPlace) {
  await api.task(board, id);
  return { subscriptions: await api.subscriptions(board, id) };
}

/** Which chats are notified of a task. */
export const getSubscriptions = defineEndpoint({
  ...about,
  method: "GET",
  summary: "List the subscriptions of a task.",
  query: boardQuery,
  answer: rows,
  errors: [404],
  run: async (request, parts: KanbanParts) => ({ json: await rowsOf(parts, await taskToRead(parts, request)) }),
});

/** Tell a chat of a task; a second time changes how. */
export const subscribeChat = defineEndpoint({
  ...about,
  method: "POST",
  summary: "Subscribe a chat to a task.",
  query: boardQuery,
  body: z.object({
    platform: z.string(),
    chat_id: z.string(),
    thread_id: text,
    user_id: text,
    notifier_profile: text,
    kinds: z.array(z.string()).nullish().describe("Event kinds (default: those that end or stop a task)."),
    artifacts: z.boolean().nullish().describe("Send declared files (default true)."),
  }),
  answer: rows.extend({ subscription: subscriptionShape, created: z.boolean(), warning: z.string().exactOptional() }),
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const place = await taskToChange(parts, request);
    const { platform, chat_id } = request.body;
    const wish = { ...withoutNulls(request.body), platform, chat_id, task: place.id };
    const { subscription: row, created, warnings } = await parts.board.subscribe(place.board, wish, DASHBOARD);
    return { json: { ...(await rowsOf(parts, place)), subscription: row, created, ...toWarning(warnings) } };
  },
});

/** Stop notifying a chat of a task. */
export const unsubscribeChat = defineEndpoint({
  ...about,
  method: "DELETE",
  summary: "Unsubscribe a chat from a task.",
  query: boardQuery.extend({ platform: z.string(), chat_id: z.string(), thread_id: z.string().optional() }),
  answer: rows,
  errors: [404],
  run: async (request, parts: KanbanParts) => {
    const place = await taskToChange(parts, request);
    const { platform, chat_id, thread_id } = request.query;
    await parts.board.task(place.board, place.id);
    const gone = await parts.board.unsubscribe(
      place.board,
      { platform, chat_id, thread_id, task: place.id },
      DASHBOARD,
    );
    if (!gone) throw new AppError("E_NOT_FOUND", `${place.id} does not have such a subscription`);
    return { json: await rowsOf(parts, place) };
  },
});
