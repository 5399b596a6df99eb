import * as z from "zod";
import type { BoardSlug, EpochMs, RunId, SessionId, TaskId, TurnId, UnixSeconds } from "../../../base/units.js";
import { STATUSES, type Status } from "../../board/board.js";

// Brands stand in types alone: at run time each of these is the plain value that its schema describes.

/** Id of a task in an answer. */
export const taskId = z.string().regex(/^t_[0-9a-f]{8}$/) as unknown as z.ZodType<TaskId, string>;
/** Id of a run in an answer. */
export const runId = z.int().min(1) as unknown as z.ZodType<RunId, number>;
/** Name of a board in an answer. */
export const boardSlug = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/) as unknown as z.ZodType<BoardSlug, string>;
/** Id of a session in an answer. */
export const sessionId = z.string() as unknown as z.ZodType<SessionId, string>;
/** Id of a turn in an answer. */
export const turnId = z.string() as unknown as z.ZodType<TurnId, string>;
/** An instant of a conversation in answers that are not records. */
export const epochMs: z.ZodType<EpochMs, number> = z.number().describe("Unix milliseconds, UTC");
/** An instant of the board. */
export const seconds: z.ZodType<UnixSeconds, number> = z.int().describe("Unix seconds, UTC.");
export const status: z.ZodType<Status, Status> = z.enum(STATUSES);
/** How many tasks of each status; statuses without tasks may be left out. */
export const statusCounts = z.partialRecord(z.enum(STATUSES), z.int().min(0));
/** A JSON object with unknown keys. */
export const anyObject = z.record(z.string(), z.unknown());
