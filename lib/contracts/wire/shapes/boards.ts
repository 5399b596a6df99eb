import * as z from "zod";
import type { BoardRecord } from "../../board/board.js";
import type { ListedBoard } from "../../board/boards.js";
import { seconds, statusCounts } from "./values.js";

/** Settings of a board. */
const boardRecord = z
  .object({
    slug: z.string(),
    name: z.string(),
    description: z.string(),
    icon: z.string(),
    color: z.string(),
    default_workdir: z.string(),
    created_at: seconds.nullable(),
    archived: z.boolean(),
    orchestration: z.enum(["auto", "manual"]).nullable(),
    max_in_progress: z.int().nullable(),
    paused_at: seconds.nullable(),
    paused_by: z.string().nullable(),
    paused_reason: z.string().nullable(),
  })
  .meta({ id: "Board" }) satisfies z.ZodType<BoardRecord>;

/** A board of a list: its settings and how many tasks it has. */
export const listedBoardShape = boardRecord
  .extend({
    store: z.string(),
    is_current: z.boolean(),
    counts: statusCounts,
    total: z.int(),
    error: z.string().exactOptional(),
    archived_name: z.string().exactOptional(),
    archived_at: seconds.exactOptional(),
  })
  .meta({ id: "ListedBoard" }) satisfies z.ZodType<ListedBoard>;
