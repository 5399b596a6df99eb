import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { BoardSlug, TaskId } from "../../../base/units.js";
import type { ChatPlace, Subscribing } from "../../../contracts/board/notify.js";
import { PLATFORM_TAGS } from "../../../contracts/board/platform-tag.js";
import type { CommandContext } from "../../define.js";

/** Parameters that say what is subscribed and where it is sent. */
export const placeParams = {
  id: z.string().optional().describe("task: id or unique prefix"),
  all_tasks: z.boolean().default(false).describe("the whole board instead of one task"),
  tenant: z.string().optional().describe("with --all-tasks: limit to this namespace"),
  platform: z.string().optional().describe("platform of the chat (default in a chat: this one)"),
  chat_id: z.string().optional().describe("chat to notify (default in a chat: this one)"),
  thread_id: z.string().optional().describe("thread of the chat"),
} as const;

type PlaceParams = z.output<z.ZodObject<typeof placeParams>>;
type Subscribed = ChatPlace & Pick<Subscribing, "task" | "tenant">;

/** Turn them into a place. In a chat the chat itself is the default. @throws E_USAGE */
export async function placeFrom(ctx: CommandContext, board: BoardSlug, params: PlaceParams): Promise<Subscribed> {
  if ((params.id === undefined) === !params.all_tasks) {
    throw new AppError(
      "E_USAGE",
      params.all_tasks
        ? "a task and --all-tasks exclude each other"
        : "missing task (or --all-tasks for the whole board)",
    );
  }
  if (params.tenant !== undefined && !params.all_tasks) throw new AppError("E_USAGE", "--tenant requires --all-tasks");
  const task = params.id === undefined ? undefined : await ctx.board.find(board, params.id);
  return { ...chatFrom(ctx, params), task, tenant: params.tenant };
}

function chatFrom(ctx: CommandContext, { platform, chat_id, thread_id }: PlaceParams): ChatPlace {
  if (platform === undefined && chat_id === undefined && ctx.origin !== undefined) {
    return { platform: ctx.origin.platform, chat_id: ctx.origin.chat_id, thread_id: thread_id ?? ctx.origin.thread_id };
  }
  if (platform === undefined) throw new AppError("E_USAGE", "missing --platform", { field: "platform" });
  if (chat_id === undefined) throw new AppError("E_USAGE", "missing --chat-id", { field: "chat_id" });
  return { platform, chat_id, thread_id };
}

/** A chat of a platform that does not exist would never be notified. A subscription to one can still be ended. @throws E_USAGE */
export function knownPlatform(platform: string | undefined): void {
  const name = platform?.trim().toLowerCase();
  if (name === undefined || PLATFORM_TAGS.some((tag) => tag === name)) return;
  throw new AppError("E_USAGE", `unknown platform '${platform}'`, {
    hint: `one of ${PLATFORM_TAGS.join(", ")}`,
  });
}

/** Said to a chat whose command has subscribed it. */
export const TOLD_HERE = "This chat is subscribed and will be notified about the task.";

/** What a subscription is to, in words. */
export function subjectOf({
  task_id,
  tenant,
}: {
  readonly task_id: TaskId | null;
  readonly tenant: string | null;
}): string {
  if (task_id !== null) return task_id;
  return tenant === null ? "all tasks" : `all tasks of tenant ${tenant}`;
}
