import * as z from "zod";
import type { Subscription } from "../../../contracts/board/notify.js";
import { defineCommand } from "../../define.js";
import { boardFor } from "../../params/board-target.js";
import { subjectOf } from "../params/notify-place.js";
import { plain } from "../render/task.js";

export default defineCommand({
  path: "kanban notify list",
  aliases: ["kanban notify-list"],
  summary: "List notification subscriptions.",
  topic: "kanban",
  params: z.object({ id: z.string().optional().describe("task: id or unique prefix (default: all)") }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async ({ id }, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const task = id === undefined ? undefined : await ctx.board.find(board, id);
    const data = await ctx.board.subscriptions(board, task);
    return { text: data.length === 0 ? "(no subscriptions)" : data.map(lineOf).join("\n"), data, warnings };
  },
});

function lineOf(one: Subscription): string {
  const where = plain(`${one.platform}:${one.chat_id}${one.thread_id === "" ? "" : `:${one.thread_id}`}`);
  const marks = [
    ...(one.degraded ? ["degraded"] : []),
    ...(one.ended ? ["ended"] : []),
    ...(one.waiting > 0 ? [`${one.waiting} waiting`] : []),
  ];
  return `  ${plain(subjectOf(one))} ${where}  (since event ${one.last_event_id}) owner=${plain(one.notifier_profile ?? "-")}${marks.map((mark) => ` ${mark}`).join("")}`;
}
