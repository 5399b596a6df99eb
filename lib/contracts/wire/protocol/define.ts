import * as z from "zod";

/** One event of the owner as the published protocol describes it. */
export interface EventForm {
  readonly name: string;
  /** Durable events have a `seq` and are delivered once to a client that resumes; the others describe the present only. */
  readonly durable: boolean;
  readonly summary: string;
  /** The member `data`. Further members may be added; clients ignore what they do not know. */
  readonly data: z.ZodType;
}

/** Declare an event with the schema of its `data`, or with its members. */
export const defineEvent = (
  name: string,
  durable: boolean,
  summary: string,
  data: z.ZodType | z.ZodRawShape,
): EventForm => ({
  name,
  durable,
  summary,
  data: data instanceof z.ZodType ? data : z.object(data),
});

const iso = z.iso.datetime().describe("ISO 8601, UTC");

/** Around the `data` of every event. */
export const eventFrame = z.looseObject({
  event: z.string().describe("name of the event"),
  seq: z.int().min(1).optional().describe("position in its store; durable events only"),
  store: z.string().optional().describe("`sessions` or `board:<slug>`; durable events only"),
  topic: z.string().optional().describe("for events about current state"),
  session_id: z.string().optional(),
  turn_id: z.string().optional(),
  task_id: z.string().optional(),
  run_id: z.int().optional(),
  actor: z.string().optional(),
  at: iso,
  data: z.looseObject({}),
});

/** What methods answer, by their names. Further members may be added; clients ignore what they do not know. */
export type Results = Readonly<Record<string, z.ZodType>>;
