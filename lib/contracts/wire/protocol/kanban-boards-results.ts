import * as z from "zod";
import { SEVERITIES } from "../../board/explain.js";
import { listedBoardShape } from "../shapes/boards.js";
import { subscriptionShape, taskShape } from "../shapes/records.js";
import { boardSlug, taskId } from "../shapes/values.js";
import { cardPageShape, editedShape, legalMoveShape } from "../shapes/work.js";
import type { Results } from "./define.js";

/** Answers about boards, notifications, and of `board.*`. */
export const KANBAN_BOARDS_RESULTS: Results = {
  "board.bulk": z.object({
    results: z.array(
      z.object({ id: taskId, ok: z.boolean(), error: z.string().exactOptional(), code: z.string().exactOptional() }),
    ),
  }),
  "board.cards": cardPageShape,
  "board.moves": z.array(legalMoveShape),
  "board.severities": z.array(z.tuple([taskId, z.enum(SEVERITIES)])),
  "board.task": taskShape,
  "board.write": editedShape,
  "kanban.boards.create": z.object({ board: listedBoardShape, created: z.boolean() }),
  "kanban.boards.export": z.object({
    warnings: z.array(z.string()),
    slug: boardSlug,
    path: z.string(),
    bytes: z.number(),
    tasks: z.number(),
    attachments: z.number(),
  }),
  "kanban.boards.import": z.object({
    warnings: z.array(z.string()),
    board: listedBoardShape,
    tasks: z.number(),
    attachments: z.number(),
  }),
  "kanban.boards.list": z.array(listedBoardShape),
  "kanban.boards.pause": z.object({ board: listedBoardShape }),
  "kanban.boards.rename": z.object({ board: listedBoardShape }),
  "kanban.boards.restore": z.object({ board: listedBoardShape }),
  "kanban.boards.resume": z.object({ board: listedBoardShape }),
  "kanban.boards.rm": z.object({
    result: z.object({ new_path: z.string().nullable(), slug: boardSlug, action: z.enum(["archived", "deleted"]) }),
    current: boardSlug,
  }),
  "kanban.boards.set": z.object({ board: listedBoardShape, changed: z.array(z.string()) }),
  "kanban.boards.set-default-workdir": z.object({ board: listedBoardShape }),
  "kanban.boards.show": listedBoardShape,
  "kanban.boards.switch": z.object({ current: boardSlug }),
  "kanban.notify.list": z.array(subscriptionShape),
  "kanban.notify.subscribe": z.object({ ok: z.boolean(), subscription: subscriptionShape, created: z.boolean() }),
  "kanban.notify.unsubscribe": z.object({ ok: z.boolean(), removed: z.boolean() }),
};
