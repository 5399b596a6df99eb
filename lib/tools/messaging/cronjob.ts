import * as z from "zod";
import { AppError, toAppError } from "../../base/errors.js";
import { toIso } from "../../base/units.js";
import type { CronJob, JobChange, PlannedJob } from "../../contracts/gateway/cron.js";
import { defineTool, type ToolContext } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { type OwnJobs, withinLimits } from "./own-jobs.js";
import { hasPlatform } from "./platforms.js";

const params = z.object({
  action: z.enum(["create", "list", "update", "pause", "resume", "remove", "run"]),
  job_id: z.string().max(200).optional().describe("Id or name of the job; for all but create and list."),
  schedule: z
    .string()
    .max(200)
    .optional()
    .describe("30m, every 2h, a cron expression (0 9 * * MON-FRI), @daily, or 2026-07-01T09:00."),
  prompt: z
    .string()
    .max(100_000)
    .optional()
    .describe("What to do each time, complete in itself: a run knows nothing of this conversation."),
  name: z.string().max(200).optional(),
  timezone: z.string().max(100).optional().describe("IANA name; default: that of the settings."),
  repeat: z.int().min(1).optional().describe("Runs until it is completed; default: for ever."),
  deliver: z
    .string()
    .max(1_000)
    .optional()
    .describe("origin (this chat), local (a file), a platform, <platform>:<chat>, all, or several with commas."),
  skills: z.array(z.string().max(200)).max(20).optional(),
  model: z.string().max(200).optional(),
  provider: z.string().max(200).optional(),
  script: z
    .string()
    .max(500)
    .optional()
    .describe("Script below scripts/ of the home that runs first; what it prints goes before the prompt."),
  no_agent: z.boolean().optional().describe("Run the script alone and deliver what it prints."),
  context_from: z
    .array(z.string().max(200))
    .max(10)
    .optional()
    .describe("Jobs whose newest output goes before the prompt."),
  enabled_toolsets: z.array(z.string().max(100)).max(50).optional(),
  workdir: z.string().max(2_000).optional(),
  catch_up: z.enum(["skip", "once"]).optional(),
});

type Given = z.output<typeof params>;

export default defineTool({
  name: "cronjob",
  toolset: "cronjob",
  description:
    "Make and change jobs that run by themselves at certain times: reminders, reports, watching something. " +
    "Each run is a new conversation, and its last message is delivered. Created in a chat, a job delivers there.",
  params,
  risk: "write",
  core: false,
  available: (place) => {
    if (place.env["AGENT_CRON_JOB_ID"] !== undefined) return "a job makes no jobs";
    return hasPlatform(place) || "no messaging platform is set up; agent cron create makes jobs";
  },
  effects: () => ({ reads: [], writes: ["world"] }),
  limits: { ms: 60_000, chars: 50_000 },
  preview: ({ action, job_id, name, schedule }) =>
    [action, job_id ?? name ?? "", schedule ?? ""].join(" ").trim().slice(0, 120),
  run: async (given, ctx) => {
    const { cron } = ctx.ports;
    if (cron === undefined) return toFailureResult("there are no jobs here");
    if (ctx.env["AGENT_CRON_JOB_ID"] !== undefined) return toFailureResult("a job makes and changes no jobs");
    try {
      return { text: jsonResult(await act(withinLimits(cron, ctx), given, ctx)) };
    } catch (error) {
      const { message, data } = toAppError(error);
      const { candidates, hint } = data ?? {};
      return {
        text: jsonResult({ success: false, error: message, ...(candidates === undefined ? {} : { candidates }), hint }),
        status: "error",
      };
    }
  },
});

async function act(cron: OwnJobs, given: Given, ctx: ToolContext): Promise<Readonly<Record<string, unknown>>> {
  const { action, job_id: job } = given;
  if (action === "create") {
    if (given.schedule === undefined) throw new AppError("E_INVALID", "schedule is missing", { hint: "e.g. every 2h" });
    return planned(await cron.create({ ...changeOf(given), schedule: given.schedule, origin: ctx.origin ?? null }));
  }
  if (action === "list") return { jobs: (await cron.list(false)).map(shown) };
  if (job === undefined) throw new AppError("E_INVALID", "job_id is missing", { hint: "action list shows the jobs" });
  switch (action) {
    case "update":
      return planned(await cron.edit(job, changeOf(given)));
    case "pause":
      return { success: true, job: shown(await cron.pause(job, null)) };
    case "resume":
      return planned(await cron.resume(job));
    case "remove":
      return { success: true, removed: shown(await cron.remove(job)).id };
    case "run": {
      const run = await cron.run(job);
      return { success: true, run: run.id, status: run.status, error: run.error };
    }
  }
}

function changeOf({ action: _action, job_id: _job, ...given }: Given): JobChange {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function planned({ job, next, warnings = [] }: PlannedJob) {
  return { success: true, job: shown(job), next_runs: next.map(toIso), ...(warnings.length === 0 ? {} : { warnings }) };
}

function shown(job: CronJob) {
  const {
    id,
    name,
    schedule_display: schedule,
    timezone,
    state,
    deliver,
    last_status,
    last_error,
    last_delivery_status,
  } = job;
  const next_run = job.next_run_at === null ? null : toIso(job.next_run_at);
  return {
    id,
    name,
    schedule,
    timezone,
    state,
    deliver,
    next_run,
    last_status,
    last_error,
    last_delivery_status,
  };
}
