import { toAppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import { momentText } from "../../base/time/zone.js";
import type { Ms } from "../../base/units.js";
import type { ChatApi, NewSession, TurnResult } from "../../contracts/chat/chat.js";
import type { CronJob } from "../../contracts/gateway/cron.js";
import type { JobAnswer, JobRunnerDeps } from "./job-runner.js";

export interface AskDeps {
  readonly clock: Clock;
  readonly chat: ChatApi;
  /** Where a job without a directory of its own works. */
  readonly cwd: () => string;
  readonly env: () => Readonly<Record<string, string>>;
  /** Longest turn of a job that says nothing. */
  readonly deadlineMs: () => Ms;
  /** Longest time in which neither model nor tools do anything. */
  readonly idleMs: () => Ms;
}

const TITLE_NAME = 60;

/** One turn of a new conversation for each run. */
export function createAsk(deps: AskDeps): JobRunnerDeps["ask"] {
  return async (job, prompt, signal, skills = []) => {
    const { clock, chat } = deps;
    const session = await chat.create({ ...sessionFor(deps, job), ...(skills.length === 0 ? {} : { skills }) });
    const control = new AbortController();
    let why: string | undefined;
    const end = (reason: string) => {
      why ??= reason;
      control.abort(new Error(reason));
    };
    const limit = job.max_runtime_seconds === null ? deps.deadlineMs() : job.max_runtime_seconds * 1000;
    const cancel = clock.after(limit, () => end(`timed out after ${limit / 1000} s`));
    const onAbort = () => end("the service was stopped");
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    const watched = new AbortController();
    const watching = watch(deps, {
      session: session.id,
      idle: (ms) => end(`no activity for ${ms / 1000} s`),
      signal: watched.signal,
    });
    try {
      const result = await chat.submit({ session: session.id, text: prompt, signal: control.signal });
      return { session: session.id, text: result.final_response, failed: why ?? failureOf(result) };
    } catch (error) {
      return { session: session.id, text: "", failed: why ?? toAppError(error).message };
    } finally {
      cancel();
      watched.abort(new Error("over"));
      signal.removeEventListener("abort", onAbort);
      await watching;
      await chat.leave(session.id, "closed").catch(() => undefined);
    }
  };
}

function sessionFor({ clock, cwd, env }: AskDeps, job: CronJob): NewSession {
  const at = momentText(Math.floor(clock.now() / 1000) * 1000, job.timezone).slice(0, 19);
  return {
    source: "cron",
    cwd: job.workdir ?? cwd(),
    env: { ...env(), AGENT_CRON_JOB_ID: job.id },
    title: `${[...job.name].slice(0, TITLE_NAME).join("")} ${at.trim()}`,
    toolsets: job.enabled_toolsets ?? ["agent-cron"],
    ...(job.origin === null ? {} : { wantedBy: job.origin }),
    ...(job.model === null ? {} : { model: job.model }),
    ...(job.provider === null ? {} : { provider: job.provider }),
  };
}

function failureOf(result: TurnResult): string | undefined {
  if (result.failed || result.interrupted || !result.completed)
    return result.error?.message ?? `the turn ended with ${result.exit_reason}`;
  return undefined;
}

/** Every event of the conversation is a sign of life. */
async function watch(
  { clock, chat, idleMs }: AskDeps,
  {
    session,
    idle,
    signal,
  }: { readonly session: JobAnswer["session"] & string; readonly idle: (ms: Ms) => void; readonly signal: AbortSignal },
): Promise<void> {
  const ms = idleMs();
  let cancel = clock.after(ms, () => idle(ms));
  try {
    for await (const _event of chat.events(session, 0, signal)) {
      cancel();
      cancel = clock.after(ms, () => idle(ms));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel();
  }
}
