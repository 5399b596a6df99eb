import * as z from "zod";
import type { BoardSlug } from "../../base/units.js";
import type { BoardEvent } from "../../contracts/board/board.js";
import { type CommandContext, defineCommand } from "../define.js";
import { boardFor } from "../params/board-target.js";
import { stamp } from "../render/times.js";
import { eventText } from "./render/event-text.js";

export default defineCommand({
  path: "kanban watch",
  summary: "Follow the events of a board.",
  topic: "kanban",
  params: z.object({
    assignee: z.string().optional().describe("limit to this assignee"),
    tenant: z.string().optional().describe("limit to this namespace"),
    kinds: z.string().optional().describe("comma-separated event kinds"),
    since: z.number().int().min(0).optional().describe("start after this event id (default: new events only)"),
    interval: z.number().optional().describe("accepted for compatibility; events are pushed"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  follow: true,
  resumesWith: "--since",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "read");
    for (const warning of warnings) await ctx.err(`kanban: ${warning}\n`);
    const since = params.since ?? (await ctx.board.lastEvent(board));
    const kinds = params.kinds === undefined ? undefined : new Set(params.kinds.split(",").map((kind) => kind.trim()));
    const print = async (event: BoardEvent) => {
      if (kinds !== undefined && !kinds.has(event.kind)) return;
      const about = await whoOf(ctx, board, event);
      if (params.assignee !== undefined && about.assignee !== params.assignee.trim().toLowerCase()) return;
      if (params.tenant !== undefined && about.tenant !== params.tenant) return;
      await ctx.out(`${ctx.json ? JSON.stringify(event) : line(event, about.assignee)}\n`);
    };
    ctx.reached?.(since);
    for await (const event of ctx.board.events(board, since, ctx.signal)) {
      await print(event);
      ctx.reached?.(event.id);
    }
    if (!ctx.json) await ctx.out("(stopped)\n");
    return { data: null, streamed: true };
  },
});

interface About {
  readonly assignee: string | null;
  readonly tenant: string | null;
}

async function whoOf(ctx: CommandContext, board: BoardSlug, event: BoardEvent): Promise<About> {
  if (event.task_id === null) return { assignee: null, tenant: null };
  try {
    const { assignee, tenant } = await ctx.board.task(board, event.task_id);
    return { assignee, tenant };
  } catch {
    /* ok to lose: the task was deleted meanwhile, and its event is shown without a name. */
    return { assignee: null, tenant: null };
  }
}

function line(event: BoardEvent, assignee: string | null): string {
  const who = assignee === null ? "" : ` (@${assignee})`;
  return `[${stamp(event.created_at)}] ${event.task_id ?? "(board)"} ${event.kind.padEnd(18)}${who} ${eventText(event)}`.trimEnd();
}
