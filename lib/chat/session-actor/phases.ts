import type { Clock } from "../../base/time/clock.js";
import { type EpochMs, toIso } from "../../base/units.js";

export type EmitLive = (event: string, data: Readonly<Record<string, unknown>>) => void;

/** What a conversation does at this moment (event `turn.phase`). */
export interface Phase {
  readonly phase: string;
  readonly detail: string;
  readonly since: EpochMs;
  /** Program of another maker that works the turn; absent: the agent's own loop. */
  readonly program?: string;
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
  const set = (phase: string, detail: string, program = now.program) => {
    if (now.phase === phase && now.detail === detail && now.program === program) return;
    if (now.phase === "interrupting" && phase !== "idle") return;
    now = { phase, detail, since: clock.now(), ...(program === undefined || phase === "idle" ? {} : { program }) };
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
      if (phase !== undefined) return set(phase, wordIn(data, "detail") ?? "", wordIn(data, "program"));
      const shown = SHOWN[event];
      if (shown !== undefined) set(shown, "");
      if (event !== "text.delta") return tell(event, data);
      // The place in the answer lets a front end that has the text so far skip it.
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

const wordIn = (data: Readonly<Record<string, unknown>>, member: string): string | undefined => {
  const word = data[member];
  return typeof word === "string" ? word : undefined;
};

/** Characters of the output of a running call that are kept. */
const KEPT_OUTPUT = 4_000;

function withProgress(
  output: Readonly<Record<string, string>>,
  data: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const call = String(data["call_id"]);
  return { ...output, [call]: `${output[call] ?? ""}${String(data["text"] ?? "")}`.slice(-KEPT_OUTPUT) };
}
