import { momentText } from "../../base/time/zone.js";
import type { CronJob, CronRun, PlannedJob } from "../../contracts/gateway/cron.js";

/** One line of a list of jobs. */
export function jobLine(job: CronJob): string {
  const next =
    job.enabled && job.next_run_at !== null ? `next ${momentText(job.next_run_at, job.timezone)}` : "no next run";
  const last =
    job.last_status === null ? "never run" : `last ${job.last_status}${missedText(job.last_missed, job.last_status)}`;
  const sent = ["none", null].includes(job.last_delivery_status) ? "" : `, delivery ${job.last_delivery_status}`;
  return `${job.id}  ${job.state.padEnd(9)}  ${job.name}  [${job.schedule_display}]  ${next}, ${last}${sent}`;
}

function missedText(missed: number, status: string): string {
  if (missed === 0) return "";
  return status === "skipped" ? ` (${missed} missed)` : ` (made up for ${missed} missed)`;
}

/** Everything about a job, for people. */
export function jobText({ job, next }: PlannedJob): string {
  const rows: readonly (readonly [string, string | null])[] = [
    ["state", job.state + (job.paused_reason === null ? "" : ` (${job.paused_reason})`)],
    ["schedule", job.schedule_display],
    ["zone", job.timezone],
    ["catch up", job.catch_up],
    ["repeat", job.repeat.times === null ? null : `${job.repeat.completed} of ${job.repeat.times}`],
    ["script", job.script === null ? null : `${job.script}${job.no_agent ? " (no agent)" : ""}`],
    ["workdir", job.workdir],
    ["model", job.model === null ? null : [job.provider, job.model].filter(Boolean).join("/")],
    ["skills", job.skills.join(", ") || null],
    ["context from", job.context_from.join(", ") || null],
    ["deliver", job.deliver],
    ["last run", job.last_run_at === null ? null : momentText(job.last_run_at, job.timezone)],
    [
      "last status",
      job.last_status === null ? null : `${job.last_status}${missedText(job.last_missed, job.last_status)}`,
    ],
    ["last error", job.last_error],
    ["delivery", job.last_delivery_status],
    ["delivery error", job.last_delivery_error],
  ];
  const facts = rows.flatMap(([label, value]) => (value === null ? [] : [`  ${label.padEnd(14)} ${value}`]));
  const prompt = job.prompt === "" ? [] : ["", job.prompt];
  return [`${job.name} (${job.id})`, ...facts, ...nextLines({ job, next }), ...prompt].join("\n");
}

/** The next runs with their zone. */
export function nextLines({ job, next }: PlannedJob): string[] {
  if (next.length === 0) return ["No next run."];
  return ["Next runs:", ...next.map((at) => `  ${momentText(at, job.timezone)}`)];
}

/** One line of a list of runs. */
export function runLine(run: CronRun, zone: string): string {
  const took =
    run.started_at === null || run.ended_at === null
      ? ""
      : `, ${((run.ended_at - run.started_at) / 1000).toFixed(1)} s`;
  const missed = run.missed === 0 ? "" : `, ${run.missed} missed`;
  const error = run.error === null ? "" : `: ${run.error.split("\n", 1)[0]}`;
  const file = run.output_path === null ? "" : `\n    ${run.output_path}`;
  return `${run.id}  ${momentText(run.scheduled_for, zone)}  ${run.cause}  ${run.status}${missed}${took}${error}${file}`;
}
