import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { LIST_SORTS } from "../../contracts/board/api.js";
import { STATUSES, type Status } from "../../contracts/board/board.js";
import { defineCommand } from "../define.js";
import { boardFor, callerProfile, mayList } from "../params/board-target.js";
import { bannerLines, listLine } from "./render/task.js";

export default defineCommand({
  path: "kanban list",
  aliases: ["kanban ls"],
  summary: "List tasks.",
  topic: "kanban",
  params: z.object({
    mine: z.boolean().default(false).describe("assigned to the active profile"),
    assignee: z.string().optional().describe("assigned to this name"),
    status: z.string().optional().describe("comma-separated statuses"),
    tenant: z.string().optional().describe("limit to this namespace"),
    session: z.string().optional().describe("created in this conversation"),
    archived: z.boolean().default(false).describe("include archived tasks"),
    search: z.string().optional().describe("text in id, title, description or result"),
    sort: z.enum(LIST_SORTS).default("priority-desc").describe("order"),
    limit: z.number().int().min(1).optional().describe("maximum number of rows"),
    workflow_template_id: z.string().optional().describe("reserved; matches nothing"),
    step_key: z.string().optional().describe("reserved; matches nothing"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  where: "root",
  run: async (params, ctx) => {
    await mayList(ctx);
    const status = params.status === undefined ? [] : params.status.split(",").map(parseStatus);
    const { board, warnings } = await boardFor(ctx, "read");
    const assignee = params.assignee ?? (params.mine ? callerProfile(ctx) : undefined);
    const { tenant, session, archived, search, sort, limit } = params;
    const reserved = params.workflow_template_id !== undefined || params.step_key !== undefined;
    const filter = { assignee, status, tenant, session, archived, search, sort, limit };
    if (ctx.json && ctx.surface === "cli" && !reserved)
      return { data: undefined, json: await ctx.board.listText(board, filter), warnings };
    const found = reserved ? [] : await ctx.board.list(board, filter);
    const data = found.map((row) => row.task);
    if (ctx.json) return { data, warnings };
    const head = bannerLines(board, await ctx.board.banner(board));
    const lines = found.length === 0 ? ["(no matching tasks)"] : found.map(listLine);
    return { text: [...head, ...lines].join("\n"), data, warnings };
  },
});

function parseStatus(given: string): Status {
  const status = STATUSES.find((one) => one === given.trim().toLowerCase());
  if (status === undefined)
    throw new AppError("E_USAGE", `--status: unknown status '${given}' (${STATUSES.join(", ")})`);
  return status;
}
