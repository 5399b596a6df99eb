import type { CronJob } from "../../contracts/gateway/cron.js";

/** Nothing is delivered when the first line says only this. */
const SILENT = "[SILENT]";

/** A response asks for silence by its first line alone. */
export function isSilentResponse(response: string): boolean {
  return (response.split("\n", 1)[0] ?? "").trim().toUpperCase() === SILENT;
}

/** What the model is given: output of other jobs, what the script said, then the words of the user. */
export function renderJobPrompt(
  job: CronJob,
  { context, script }: { readonly context: readonly string[]; readonly script: string | undefined },
): string {
  const told = [
    "This is a scheduled run; nobody is there to answer questions. Your last message is delivered as it is.",
    `If there is nothing worth telling, let its first line be exactly ${SILENT}.`,
  ].join(" ");
  const earlier = context.map((text) => `Newest output of another job:\n\n${text}`);
  const said = script === undefined || script === "" ? [] : [`The script ${job.script ?? ""} printed:\n\n${script}`];
  const asked = job.prompt === "" && job.skills.length > 0 ? "Do what the skills of this session ask for." : job.prompt;
  return [told, ...earlier, ...said, asked].filter((part) => part !== "").join("\n\n---\n\n");
}

/** A response as it is delivered. */
export function wrapped(job: CronJob, text: string, wrap: boolean): string {
  if (!wrap || job.no_agent) return text.trimEnd();
  return `⏰ ${job.name} (${job.id})\n\n${text.trim()}\n\nTo stop this job: agent cron remove ${job.id}`;
}

/** The text about a failed run. */
export function alertOf(job: CronJob, error: string, at: string): string {
  return `⚠️ ${job.name} (${job.id}), ${at}\n\n${error}`;
}
