import type { Ms } from "../../base/units.js";
import type { CallStatus } from "../../contracts/chat/chat.js";

/** One call of an interrupted turn. */
export interface EndedCall {
  /** As it was announced. */
  readonly label: string;
  readonly status: CallStatus;
  /** It did not react: what it does may go on. */
  readonly abandoned: boolean;
}

const STOPPED: Partial<Readonly<Record<CallStatus, string>>> = {
  interrupted: "killed",
  cancelled: "cancelled",
  skipped: "not started",
};

/** What an interrupt left: `Interrupted after 12 s: kept 1,204 chars and 2 finished calls; cancelled: npm test (killed).` (core part, 9.1) */
export function interruptionLine(ms: Ms, keptChars: number, calls: readonly EndedCall[]): string {
  const finished = calls.filter(({ status }) => STOPPED[status] === undefined).length;
  const stopped = calls.flatMap(({ label, status, abandoned }) => {
    const how = STOPPED[status];
    return how === undefined ? [] : [`${label} (${abandoned ? "abandoned: it may continue" : how})`];
  });
  const kept = [
    ...(keptChars > 0 ? [`${keptChars.toLocaleString("en-US")} ${keptChars === 1 ? "char" : "chars"}`] : []),
    ...(finished > 0 ? [`${finished} finished ${finished === 1 ? "call" : "calls"}`] : []),
  ];
  const cancelled = stopped.length === 0 ? "" : `; cancelled: ${stopped.join(", ")}`;
  return `Interrupted after ${seconds(ms)}: ${kept.length === 0 ? "no text to keep" : `kept ${kept.join(" and ")}`}${cancelled}.`;
}

const seconds = (ms: Ms): string => (ms < 9_950 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`);
