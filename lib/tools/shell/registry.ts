import { LIMITS } from "../../base/limits.js";
import type { Child, Spawner } from "../../base/process/spawn.js";
import type { Ms } from "../../base/units.js";
import { END_GRACE } from "../core/child.js";
import type { ToolState } from "../core/define.js";

/** Source: core part, 17.5. */
export const ROLLING_CHARS = 200_000;
const KEPT_AFTER_END: Ms = 1_800_000;
const NOTICES_PER_WINDOW = 15;
const NOTICE_WINDOW: Ms = 10_000;
const NOTICE_SILENCE: Ms = 30_000;

export type CompletionReason = "completed" | "exited" | "terminated";

/** One background process of a conversation. */
export interface Background {
  readonly id: string;
  readonly command: string;
  readonly child: Child;
  /** Instants of the monotonic clock. */
  readonly startedAt: Ms;
  endedAt: Ms | undefined;
  exitCode: number | undefined;
  reason: CompletionReason | undefined;
  /** Who ended it: `agent`, or the name of a signal that came from elsewhere. */
  endedBy: string | undefined;
  /** Last output, redacted, at most `ROLLING_CHARS`. */
  output: string;
  /** Lines that fell out of `output`. */
  droppedLines: number;
  /** poll, wait or log showed the end, so a notice would say it twice. */
  endShown: boolean;
  notify: boolean;
  /** Resolves when it has ended and its output is read. */
  readonly done: Promise<void>;
}

/** The conversation as its processes see it, which may be opened again while they run. */
export interface ProcessHooks {
  redact(text: string): string;
  /** Text for the conversation's queue (`process_notice`). */
  notify?(text: string, by: string): void;
  /** `process.started`, `process.ended`. */
  told?(event: string, data: Readonly<Record<string, unknown>>): void;
}

export interface Processes {
  readonly all: Map<string, Background>;
  /** Set by the opener of the conversation; until then by the first call. */
  hooks: ProcessHooks | undefined;
  /** Nothing is reported any longer: the conversation itself ends. */
  closing: boolean;
  /** None of them runs. */
  idle(): boolean;
  /** No such process, running or ended. */
  empty(): boolean;
  close(): Promise<void>;
}

/** Keeps notices from flooding a conversation: 15 in 10 s, then silence for 30 s (core part, 17.5). */
export function createNoticeGate(): (now: Ms) => boolean {
  let times: Ms[] = [];
  let silentUntil = Number.NEGATIVE_INFINITY;
  return (now) => {
    if (now < silentUntil) return false;
    times = [...times.filter((time) => now - time < NOTICE_WINDOW), now];
    if (times.length <= NOTICES_PER_WINDOW) return true;
    silentUntil = now + NOTICE_SILENCE;
    times = [];
    return false;
  };
}

/** Background processes of the conversation. They end with it. */
export function processesOf(state: ToolState, spawner: Spawner): Processes {
  return state.entry<Processes>("process", () => {
    const all = new Map<string, Background>();
    const processes: Processes = {
      all,
      hooks: undefined,
      closing: false,
      idle: () => [...all.values()].every((one) => one.exitCode !== undefined),
      empty: () => all.size === 0,
      close: async () => {
        processes.closing = true;
        await Promise.all(
          [...all.values()]
            .filter((one) => one.exitCode === undefined)
            .map((one) => endBackgroundProcess(spawner, one)),
        );
      },
    };
    return processes;
  });
}

/** End a process with everything it started. */
export async function endBackgroundProcess(spawner: Spawner, one: Background): Promise<void> {
  one.endedBy ??= "agent";
  await spawner.endGroup(one.child.pid, END_GRACE);
  await one.done;
}

/** Forget what ended long ago. Why no further one can be started, or undefined. */
export function makeRoom(processes: Processes, now: Ms): string | undefined {
  for (const [id, one] of processes.all)
    if (one.endedAt !== undefined && now - one.endedAt > KEPT_AFTER_END) processes.all.delete(id);
  const running = [...processes.all.values()].filter((one) => one.exitCode === undefined).length;
  return running >= LIMITS.processes
    ? `${running} background processes run already; end one with the process tool first`
    : undefined;
}
