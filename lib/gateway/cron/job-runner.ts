import { toAppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import { momentText } from "../../base/time/zone.js";
import type { SessionId } from "../../base/units.js";
import type { CronJob, CronRun, DeliveryStatus } from "../../contracts/gateway/cron.js";
import { flagLines } from "../../safety/redact/injection.js";
import type { Outputs } from "./job-output.js";
import { readWake, runScript, type ScriptDeps } from "./job-scripts.js";
import { alertOf, isSilentResponse, renderJobPrompt, wrapped } from "./job-texts.js";
import type { CronRunOutcome, JobRunner } from "./run-queue.js";

/** What a conversation of a job came to. */
export interface JobAnswer {
  readonly session: SessionId | null;
  readonly text: string;
  /** Why the answer is missing. */
  readonly failed: string | undefined;
}

/** Skills that a job names. */
export interface JobSkills {
  /** Names of those that are there. */
  readonly names: readonly string[];
  /** Their texts as the model reads them. */
  readonly texts: readonly string[];
  /** Names that no skill has any more. */
  readonly missing: readonly string[];
}

export interface JobRunnerDeps {
  readonly clock: Clock;
  /** Settings of this run, read again. */
  readonly fresh: () => Promise<void>;
  readonly scripts: ScriptDeps;
  readonly outputs: Outputs;
  /** The skills of a job as they are at this moment. Absent: without skills. */
  readonly skills?: (job: CronJob) => Promise<JobSkills>;
  /** One turn of a new conversation with these skills, within the limits of the job. */
  readonly ask: (job: CronJob, prompt: string, signal: AbortSignal, skills?: readonly string[]) => Promise<JobAnswer>;
  readonly wrap: () => boolean;
  readonly redact: (text: string) => string;
  /** Rows of what is to be sent, and what is known of it now. */
  readonly deliver: (job: CronJob, run: CronRun, told: JobMessage) => Promise<JobDelivery>;
}

/** What is delivered of a run. */
export interface JobMessage {
  readonly text: string;
  /** `markdown`: an answer of the model; files that it names are sent along. */
  readonly format: "plain" | "markdown";
  /** Conversation that wrote it. */
  readonly session?: SessionId | null | undefined;
}

export interface JobDelivery {
  readonly status: DeliveryStatus;
  readonly ids: readonly string[];
  readonly error?: string | undefined;
  readonly sends?: CronRunOutcome["sends"];
  /** Called once the run and what it sends are durable. */
  readonly stored?: CronRunOutcome["stored"];
}

interface Made {
  readonly status: "ok" | "error" | "silent" | "interrupted";
  /** What is kept in the output file. */
  readonly text: string;
  readonly session?: SessionId | null;
  readonly error?: string;
  /** What its reader should know of the run, beside its answer. */
  readonly note?: string;
}

const CONTEXT_CHARS = 8000;
const STDERR_CHARS = 2000;

/** Works the runs of jobs: script, injection scan, conversation, output file, delivery (gateway part, 17.3 to 17.5). */
export function createRunner(deps: JobRunnerDeps): JobRunner {
  return {
    run: async (job, run, signal) => {
      const made = await madeBy(deps, job, signal);
      return ended(deps, {
        job,
        run,
        made: signal.aborted ? { ...made, status: "interrupted", error: "the service was stopped" } : made,
      });
    },
    interrupted: (job, run) => {
      const error = "its process ended; the run is not repeated";
      return ended(deps, { job, run, made: { status: "interrupted", text: "", error, session: run.session_id } });
    },
  };
}

async function madeBy(deps: JobRunnerDeps, job: CronJob, signal: AbortSignal): Promise<Made> {
  try {
    await deps.fresh();
    return await worked(deps, job, signal);
  } catch (error) {
    return { status: "error", text: "", error: toAppError(error).message };
  }
}

async function worked(deps: JobRunnerDeps, job: CronJob, signal: AbortSignal): Promise<Made> {
  let said: string | undefined;
  if (job.script !== null) {
    const end = await runScript(
      deps.scripts,
      { id: job.id, script: job.script, digest: job.script_digest, workdir: job.workdir },
      signal,
    );
    if (end.failed !== undefined)
      return scriptFailed(deps, job, { stderr: end.stderr, stdout: end.stdout, why: end.failed });
    if (job.no_agent)
      return end.stdout.trim() === "" ? { status: "silent", text: "" } : { status: "ok", text: end.stdout };
    const { wakes, context } = readWake(end.stdout);
    if (!wakes) return { status: "silent", text: end.stdout };
    said = context;
  }
  const context: string[] = [];
  for (const other of job.context_from) {
    const text = await deps.outputs.newest(other, CONTEXT_CHARS);
    if (text !== undefined) context.push(text);
  }
  const skills = (await deps.skills?.(job)) ?? NO_SKILLS;
  const planted = [job.prompt, said ?? "", ...context, ...skills.texts].flatMap((text) =>
    flagLines(text).flags.flatMap(({ ids }) => ids),
  );
  if (planted.length > 0) {
    const error = `possible prompt injection in the prompt, a skill or script output (${[...new Set(planted)].join(", ")}); the model was not called`;
    return { status: "error", text: "", error };
  }
  const note = missingNote(skills.missing);
  if (job.prompt === "" && said === undefined && job.skills.length > 0 && skills.names.length === 0)
    return { status: "error", text: "", error: `${note}; the model was not called` };
  const prompt = renderJobPrompt(job, { context, script: said });
  const answer = await deps.ask(job, prompt, signal, skills.names);
  const noted = { session: answer.session, ...(note === "" ? {} : { note }) };
  if (answer.failed !== undefined) return { status: "error", text: answer.text, error: answer.failed, ...noted };
  return { status: isSilentResponse(answer.text) ? "silent" : "ok", text: answer.text, ...noted };
}

const NO_SKILLS: JobSkills = { names: [], texts: [], missing: [] };

const missingNote = (names: readonly string[]): string =>
  names.length === 0 ? "" : `skills of the job that no longer exist (skipped): ${names.join(", ")}`;

function scriptFailed(
  { redact }: JobRunnerDeps,
  job: CronJob,
  { stderr, stdout, why }: { readonly stderr: string; readonly stdout: string; readonly why: string },
): Made {
  const tail = redact(stderr.trim()).slice(-STDERR_CHARS);
  return {
    status: "error",
    text: stdout,
    error: `the script ${job.script ?? ""} failed: ${why}${tail === "" ? "" : `\n${tail}`}`,
  };
}

async function ended(
  { clock, outputs, wrap, redact, deliver }: JobRunnerDeps,
  { job, run, made }: { readonly job: CronJob; readonly run: CronRun; readonly made: Made },
): Promise<CronRunOutcome> {
  const at = momentText(Math.floor(clock.now() / 1000) * 1000, job.timezone);
  const error = made.error === undefined ? undefined : redact(made.error);
  const head = `# ${job.name}\n\n${at}, ${made.status}${error === undefined ? "" : `: ${error}`}\n`;
  const note = made.note === undefined ? "" : `\n⚠️ ${made.note}\n`;
  const output_path = await outputs.write(
    job.id,
    clock.now(),
    made.text.trim() === "" ? `${head}${note}` : `${head}${note}\n${made.text}`,
  );
  const shown =
    error === undefined
      ? made.status === "ok"
        ? `${made.note === undefined ? "" : `⚠️ ${job.name}: ${made.note}\n\n`}${wrapped(job, made.text, wrap())}`
        : undefined
      : alertOf(job, error, at);
  const format = error !== undefined || job.no_agent ? "plain" : "markdown";
  const delivery: JobDelivery =
    shown === undefined
      ? { status: "none", ids: [] }
      : await deliver(job, run, { text: shown, format, session: made.session });
  const { sends, stored, ...told } = delivery;
  return { status: made.status, error, session_id: made.session ?? null, output_path, delivery: told, sends, stored };
}
