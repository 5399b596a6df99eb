import { createHash } from "node:crypto";
import type { Config } from "../../contracts/config/config.js";
import { GUARD_HARD_STOP, GUARD_STOP_AFTER, GUARD_WARN_AFTER, GUARD_WARNINGS } from "../core/keys.js";

interface Counts {
  readonly exact: number;
  readonly sameTool: number;
  readonly noProgress: number;
}

export interface GuardrailSettings {
  readonly warnings: boolean;
  readonly hardStop: boolean;
  readonly warnAfter: Counts;
  readonly stopAfter: Counts;
}

/** One finished call, as the guardrails count it. */
export interface FinishedCall {
  readonly name: string;
  readonly canonical: string;
  readonly failed: boolean;
  readonly readOnly: boolean;
  readonly text: string;
}

/** Counters of one turn (core part, 6.3). */
export interface Guardrails {
  /** The text that replaces a call which is blocked before it runs. */
  before(name: string, canonical: string): string | undefined;
  /** `note` goes to the model; `halt` is the sentence with which the turn ends. */
  after(call: FinishedCall): { readonly note?: string; readonly halt?: string };
}

export function guardrailSettings(config: Config): GuardrailSettings {
  return {
    warnings: config.get(GUARD_WARNINGS),
    hardStop: config.get(GUARD_HARD_STOP),
    warnAfter: counts(config.get(GUARD_WARN_AFTER), { exact: 2, sameTool: 3, noProgress: 2 }),
    stopAfter: counts(config.get(GUARD_STOP_AFTER), { exact: 5, sameTool: 8, noProgress: 5 }),
  };
}

function counts(given: unknown, normal: Counts): Counts {
  const read = (name: string, index: number, otherwise: number) => {
    const value: unknown = Array.isArray(given)
      ? given[index]
      : typeof given === "object" && given !== null
        ? Reflect.get(given, name)
        : undefined;
    return typeof value === "number" && value >= 1 ? value : otherwise;
  };
  return {
    exact: read("exact", 0, normal.exact),
    sameTool: read("same_tool", 1, normal.sameTool),
    noProgress: read("no_progress", 2, normal.noProgress),
  };
}

interface Repeat {
  result: string;
  count: number;
}

export function createGuardrails(settings: GuardrailSettings): Guardrails {
  const exact = new Map<string, number>();
  const tool = new Map<string, number>();
  const same = new Map<string, Repeat>();
  return {
    before: (name, canonical) => {
      if (!settings.hardStop) return undefined;
      const key = signature(name, canonical);
      const failures = exact.get(key) ?? 0;
      if (failures >= settings.stopAfter.exact)
        return stop("repeated_exact_failure_block", failures, "this call keeps failing with the same arguments");
      const equal = same.get(key)?.count ?? 0;
      return equal >= settings.stopAfter.noProgress
        ? stop("idempotent_no_progress_block", equal, "this call keeps giving the same result")
        : undefined;
    },
    after: (call) => {
      const key = signature(call.name, call.canonical);
      const counted = call.failed ? countFailure(call, key, exact, tool) : countSuccess(call, key, exact, same);
      return judge(settings, call.name, counted);
    },
  };
}

interface Counted {
  readonly exact: number;
  readonly sameTool: number;
  readonly noProgress: number;
}

function countFailure(call: FinishedCall, key: string, exact: Map<string, number>, tool: Map<string, number>): Counted {
  const failures = (exact.get(key) ?? 0) + 1;
  const all = (tool.get(call.name) ?? 0) + 1;
  exact.set(key, failures);
  tool.set(call.name, all);
  return { exact: failures, sameTool: all, noProgress: 0 };
}

function countSuccess(call: FinishedCall, key: string, exact: Map<string, number>, same: Map<string, Repeat>): Counted {
  exact.delete(key);
  if (!call.readOnly) return { exact: 0, sameTool: 0, noProgress: 0 };
  const result = hash(call.text);
  const before = same.get(key);
  const count = before?.result === result ? before.count + 1 : 1;
  same.set(key, { result, count });
  return { exact: 0, sameTool: 0, noProgress: count };
}

function judge(settings: GuardrailSettings, name: string, counted: Counted): { note?: string; halt?: string } {
  const { warnAfter, stopAfter } = settings;
  if (settings.hardStop && counted.sameTool >= stopAfter.sameTool) {
    const halt = `Stopped: ${name} failed ${counted.sameTool} times in this turn (same_tool_failure_halt; count=${counted.sameTool}).`;
    return { halt, note: stop("same_tool_failure_halt", counted.sameTool, "the turn ends here") };
  }
  if (!settings.warnings) return {};
  const found: [string, number, string][] = [];
  if (counted.sameTool >= warnAfter.sameTool)
    found.push(["same_tool_failure_warning", counted.sameTool, "change the approach instead of varying the arguments"]);
  if (counted.exact >= warnAfter.exact)
    found.push(["repeated_exact_failure_warning", counted.exact, "the same arguments will fail again"]);
  if (counted.noProgress >= warnAfter.noProgress)
    found.push(["idempotent_no_progress_warning", counted.noProgress, "the result has not changed; use what you have"]);
  return found.length === 0
    ? {}
    : {
        note: found.map(([code, count, advice]) => `[Tool loop warning: ${code}; count=${count}; ${advice}]`).join(" "),
      };
}

const stop = (code: string, count: number, advice: string) =>
  `[Tool loop hard stop: ${code}; count=${count}; ${advice}]`;
const signature = (name: string, canonical: string) => `${name} ${hash(canonical)}`;

/** Longer texts are kept as their hash, shorter ones as they are: most calls and results are, and to hash takes longer than to compare. */
const SHORT = 200;
const hash = (text: string) => (text.length <= SHORT ? `=${text}` : createHash("sha256").update(text).digest("base64"));
