import type { Clock } from "../../base/time/clock.js";
import { type EpochMs, toIso } from "../../base/units.js";

export type EmitLive = (event: string, data: Readonly<Record<string, unknown>>) => void;

/** What a conversation does at this moment (event `turn.phase`). */
export interface Phase {
  readonly phase: string;
  readonly detail: string;
  readonly since: EpochMs;
}

export interface Phases {
  /** Tells live events of a turn, and the phases that follow from them. */
  readonly live: EmitLive;
  readonly now: Phase;
  /** Text of the answer that streams at this moment, for who comes late. */
  readonly streamed: string;
  /** The newest output of calls that run at this moment, by call, for who comes late. */
  readonly output: Readonly<Record<string, string>>;
  /** Told at once, and from then on no other phase than `idle`. */
  interrupting(): void;
  idle(): void;
}

/** Phases that an event shows by itself. */
const SHOWN: Readonly<Record<string, string>> = { "text.delta": "writing", "reasoning.delta": "thinking" };

/** Follows the phases of one conversation. */
export function createPhases(tell: EmitLive, clock: Clock): Phases {
  let now: Phase = { phase: "idle", detail: "", since: clock.now() };
  let streamed: string[] = [];
  let length = 0;
  let output: Readonly<Record<string, string>> = {};
  const forget = () => {
    streamed = [];
    length = 0;
  };
  const set = (phase: string, detail: string) => {
    if (now.phase === phase && now.detail === detail) return;
    if (now.phase === "interrupting" && phase !== "idle") return;
    now = { phase, detail, since: clock.now() };
    tell("turn.phase", { ...now, since: toIso(now.since) });
  };
  return {
    get now() {
      return now;
    },
    get streamed() {
      return streamed.join("");
    },
    get output() {
      return output;
    },
    live: (event, data) => {
      const phase = event === "turn.phase" ? String(data["phase"]) : undefined;
      if (event === "text.reset" || phase === "waiting_model" || phase === "tool") forget();
      if (phase === "waiting_model") output = {};
      if (event === "tool.progress") output = withProgress(output, data);
      if (phase !== undefined) return set(phase, typeof data["detail"] === "string" ? data["detail"] : "");
      const shown = SHOWN[event];
      if (shown !== undefined) set(shown, "");
      if (event !== "text.delta") return tell(event, data);
      // The place in the answer lets a front end that was told the text so far leave out what it has.
      tell(event, { ...data, offset: length });
      const text = String(data["text"] ?? "");
      streamed.push(text);
      length += text.length;
    },
    interrupting: () => set("interrupting", ""),
    idle: () => {
      forget();
      output = {};
      set("idle", "");
    },
  };
}

/** Characters of the output of a running call that are kept. */
const KEPT_OUTPUT = 4_000;

function withProgress(
  output: Readonly<Record<string, string>>,
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const call = String(data["call_id"]);
  return { ...output, [call]: `${output[call] ?? ""}${String(data["text"] ?? "")}`.slice(-KEPT_OUTPUT) };
}
