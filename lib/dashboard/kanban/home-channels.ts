import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { ChatPlace } from "../../contracts/board/notify.js";
import { defineEndpoint, type Endpoint } from "../../http/endpoint.js";
import type { KanbanParts } from "../core/parts.js";
import { boardQuery, boardToChange, boardToRead, DASHBOARD, fullTaskId } from "./request/asked.js";

const tag = "notifications";

const channel = z.object({
  platform: z.string(),
  chat_id: z.string(),
  thread_id: z.string(),
  name: z.string(),
  subscribed: z.boolean(),
});

const params = z.object({ id: z.string().describe("task"), platform: z.string().describe("messaging platform") });
const answer = z.object({ ok: z.boolean(), task_id: z.string(), home_channel: channel });

/** Chats to which a platform sends unrequested notices, and whether a task is reported there. */
export const HOME_CHANNEL_ENDPOINTS: readonly Endpoint<KanbanParts>[] = [
  defineEndpoint({
    method: "GET",
    path: "/home-channels",
    summary: "List the home channels of the platforms, and which are subscribed to a task.",
    tag,
    query: boardQuery.extend({ task_id: z.string().optional().describe("task") }),
    answer: z.object({ home_channels: z.array(channel) }),
    errors: [404],
    run: async ({ query }, parts: KanbanParts) => {
      const board = await boardToRead(parts, query);
      const id = query.task_id === undefined ? undefined : await taskOf(parts, board, query.task_id);
      const told = id === undefined ? [] : await parts.board.subscriptions(board, id);
      const home_channels = homes(parts).map((home) => ({
        ...home,
        subscribed: told.some(
          (one) => one.platform === home.platform && one.chat_id === home.chat_id && one.thread_id === home.thread_id,
        ),
      }));
      return { json: { home_channels } };
    },
  }),
  ...(["POST", "DELETE"] as const).map((method) =>
    defineEndpoint({
      method,
      path: "/tasks/:id/home-subscribe/:platform",
      summary: method === "POST" ? "Subscribe the home channel of a platform to a task." : "Unsubscribe it.",
      tag,
      params,
      query: boardQuery,
      answer,
      errors: [404],
      run: async (request, parts: KanbanParts) => {
        const board = await boardToChange(parts, request.query);
        const task = await taskOf(parts, board, request.params.id);
        const home = homeOf(parts, request.params.platform);
        const { name: _shown, ...place } = home;
        if (method === "POST") await parts.board.subscribe(board, { ...place, task }, DASHBOARD);
        else await parts.board.unsubscribe(board, { ...place, task }, DASHBOARD);
        return { json: { ok: true, task_id: task, home_channel: { ...home, subscribed: method === "POST" } } };
      },
    }),
  ),
];

/** @throws E_NOT_FOUND */
async function taskOf({ board }: KanbanParts, slug: BoardSlug, given: string): Promise<TaskId> {
  return (await board.task(slug, fullTaskId(given))).id;
}

interface Home extends Required<Pick<ChatPlace, "platform" | "chat_id">> {
  readonly thread_id: string;
  readonly name: string;
}

/** Home chats, as a board writes places. */
const homes = (parts: KanbanParts): readonly Home[] =>
  parts
    .homeChannels()
    .map(({ platform, chatId, threadId, name }) => ({ platform, chat_id: chatId, thread_id: threadId ?? "", name }));

/** @throws E_NOT_FOUND */
function homeOf(parts: KanbanParts, platform: string): Home {
  const home = homes(parts).find((one) => one.platform === platform);
  if (home !== undefined) return home;
  throw new AppError("E_NOT_FOUND", `no home channel configured for ${JSON.stringify(platform.slice(0, 40))}`);
}
