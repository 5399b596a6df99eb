import * as z from "zod";
import type { BoardEvent } from "../../contracts/board/board.js";
import { defineCommand } from "../define.js";
import { boardFor, taskIdParam } from "../params/board-target.js";
import { stamp } from "../render/times.js";
import { eventText } from "./render/event-text.js";

export default defineCommand({
  path: "kanban tail",
  summary: "Follow the events of a task.",
  topic: "kanban",
  params: z.object({
    id: taskIdParam,
    since: z.number().int().min(0).default(0).describe("start after this event id (default: the whole history)"),
    interval: z.number().optional().describe("accepted for compatibility; events are pushed"),
  }),
  positionals: ["id"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  follow: true,
  resumesWith: "--since",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    const id = await ctx.board.find(board, params.id);
    for (const warning of warnings) await ctx.err(`kanban: ${warning}\n`);
    const print = async (event: BoardEvent) => {
      await ctx.out(
        ctx.json
          ? `${JSON.stringify(event)}\n`
          : `${`[${stamp(event.created_at)}] ${event.kind} ${eventText(event)}`.trimEnd()}\n`,
      );
      ctx.reached?.(event.id);
    };
    // Where the live part begins is asked first, so that nothing falls between it and the history.
    const start = await ctx.board.lastEvent(board);
    const { events } = await ctx.board.show(board, id);
    for (const event of events) if (event.id > params.since) await print(event);
    const seen = Math.max(params.since, events.at(-1)?.id ?? 0);
    for await (const event of ctx.board.events(board, start, ctx.signal)) {
      if (event.task_id === id && event.id > seen) await print(event);
    }
    if (!ctx.json) await ctx.out("(stopped)\n");
    return { data: null, streamed: true };
  },
});
