import type { Ms } from "../../base/units.js";
import type { ChatEvent } from "../../contracts/chat/chat.js";

/** What a turn does at this moment, by what it tells. Instants are those of the monotonic clock. */
export interface TurnProgress {
  readonly startedAt: Ms;
  /** Requests that it has made. */
  iteration: number;
  /** Tool that runs; undefined: none does. */
  tool: string | undefined;
  /** Since when a request waits for its answer, its retries included; undefined: none does. */
  requestAt: Ms | undefined;
  /** When it last did something. A retry of a request is nothing. */
  activeAt: Ms;
  /** Since when it waits for a person; undefined: it does not. */
  waitsAt: Ms | undefined;
  /** How long it has waited for people before. */
  waited: Ms;
  /** It tells that it is being stopped. */
  stopping: boolean;
}

export const newProgress = (now: Ms): TurnProgress => ({
  startedAt: now,
  iteration: 0,
  tool: undefined,
  requestAt: undefined,
  activeAt: now,
  waitsAt: undefined,
  waited: 0,
  stopping: false,
});

const WAITING: ReadonlySet<string> = new Set(["approval", "question"]);
const LIFE: ReadonlySet<string> = new Set([
  "text.delta",
  "reasoning.delta",
  "tool.started",
  "tool.progress",
  "tool.ended",
  "tool.generating",
  "message.added",
  "compaction.started",
  "compaction.ended",
  "child.started",
  "child.progress",
  "child.ended",
  "steer.delivered",
]);

/** Follow one event of the turn. */
export function followTurnEvent(
  progress: TurnProgress,
  { event, data }: Pick<ChatEvent, "event" | "data">,
  now: Ms,
): void {
  if (LIFE.has(event)) progress.activeAt = now;
  if (event === "tool.started") progress.tool = String(data["name"]);
  if (event === "tool.ended") progress.tool = undefined;
  if (event === "tool.started" || (event === "message.added" && data["role"] === "assistant"))
    progress.requestAt = undefined;
  if (event === "turn.phase") phase(progress, String(data["phase"]), now);
}

function phase(progress: TurnProgress, name: string, now: Ms): void {
  const waits = WAITING.has(name);
  if (waits) progress.waitsAt ??= now;
  else if (progress.waitsAt !== undefined) {
    progress.waited += now - progress.waitsAt;
    progress.waitsAt = undefined;
    progress.activeAt = now;
  }
  if (name === "interrupting") progress.stopping = true;
  if (name === "tool" || name === "compacting" || waits) progress.requestAt = undefined;
  if (name !== "waiting_model" || progress.requestAt !== undefined) return;
  progress.requestAt = now;
  progress.activeAt = now;
  progress.iteration += 1;
}

/** How long it has worked, without the time that it waited for people. */
export function workedFor(progress: TurnProgress, now: Ms): Ms {
  const waiting = progress.waitsAt === undefined ? 0 : now - progress.waitsAt;
  return now - progress.startedAt - progress.waited - waiting;
}

interface Worked {
  readonly progress: TurnProgress;
}

/** How far a turn is, for people: "40 s, step 2/90, terminal"; undefined: none runs. `most`: requests that it may make. */
export function renderTurnProgress(
  turn: Worked | undefined,
  { now, most }: { readonly now: Ms; readonly most: number },
): string | undefined {
  if (turn === undefined) return undefined;
  const { startedAt, iteration, tool } = turn.progress;
  const seconds = Math.floor((now - startedAt) / 1000);
  const time = seconds < 120 ? `${seconds} s` : `${Math.floor(seconds / 60)} min`;
  return [time, `step ${iteration}/${most}`, ...(tool === undefined ? [] : [tool])].join(", ");
}
