import * as z from "zod";
import { type GcReport, RETENTION } from "../../contracts/board/gc.js";
import { defineCommand } from "../define.js";
import { boardFor, requirePerson } from "../params/board-target.js";
import { plain } from "./render/task.js";

const days = (of: number, what: string) =>
  z.number().int().min(0).max(36_500).default(of).describe(`days to keep ${what}`);

export default defineCommand({
  path: "kanban gc",
  summary: "Remove old workspaces, events and logs.",
  topic: "kanban",
  params: z.object({
    dry_run: z.boolean().default(false).describe("only show what would be removed"),
    event_retention_days: days(RETENTION.eventDays, "events of done and archived tasks"),
    log_retention_days: days(RETENTION.logDays, "logs"),
    workspace_retention_days: days(RETENTION.workspaceDays, "workspaces of archived tasks"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "admin",
  where: "root",
  run: async (params, ctx) => {
    const { board, warnings } = await boardFor(ctx, "write");
    const retention = {
      eventDays: params.event_retention_days,
      logDays: params.log_retention_days,
      workspaceDays: params.workspace_retention_days,
    };
    const report = await ctx.board.gc(board, { dryRun: params.dry_run, retention }, await requirePerson(ctx));
    const kept = report.kept.map((one) => plain(`kept ${one.path}: ${one.reason}`));
    return { text: params.dry_run ? preview(report) : summary(report), data: report, warnings: [...warnings, ...kept] };
  },
});

const summary = ({ workspaces, events, logs }: GcReport): string =>
  `GC complete: ${workspaces.length} workspace(s), ${events.count} event row(s), ${logs.length} log file(s) removed`;

function preview(report: GcReport): string {
  const { workspaces, events, logs, run_files: runFiles, deliveries } = report;
  const lines = [
    ...workspaces.map(
      (one) =>
        `${one.kind} ${one.path}${one.branch === null ? "" : ` (branch ${one.branch})`}  ${size(one.size_bytes)}`,
    ),
    ...(events.count === 0 ? [] : [`${events.count} event row(s)  ${size(events.size_bytes)}`]),
    ...logs.map((one) => `log ${one.path}  ${size(one.size_bytes)}`),
    ...runFiles.map((one) => `file of a closed run ${one.path}  ${size(one.size_bytes)}`),
    ...(deliveries === 0 ? [] : [`${deliveries} settled deliver${deliveries === 1 ? "y" : "ies"}`]),
  ];
  if (lines.length === 0) return "GC would remove: nothing";
  return ["GC would remove:", ...lines.map((line) => `  ${plain(line)}`)].join("\n");
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

function size(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${UNITS[power]}`;
}
