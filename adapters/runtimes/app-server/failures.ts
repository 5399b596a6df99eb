import { isRecord } from "../../../lib/base/json/record.js";
import { parseRateLimitResetMs } from "../../../lib/base/time/rate-limit-reset.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type { RuntimeError, RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { createRedactor } from "../../../lib/safety/redact/redact.js";

/** The program answered a request with an error: it lives, and said no. */
export class Refused extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** What went wrong with the program. It does not leave this folder. */
export class ProgramFailure extends Error {
  /** What to do beside the way back to the loop. */
  readonly remedy: string | undefined;
  constructor(message: string, remedy?: string) {
    super(message);
    this.remedy = remedy;
  }
}

const redactor = createRedactor({ known: () => [], enabled: true });
const SHOWN_CHARS = 4_000;

/** Text of the program as a person may see it: without secrets and control characters. */
export const shown = (text: string): string =>
  redactor
    .text(text)
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ")
    .slice(0, SHOWN_CHARS);

type Worker = RuntimePlace["worker"];

/** The way back to the loop. */
const back = (worker: Worker): string =>
  worker === undefined ? "run /vendor-runtime auto to work without the app-server" : "set worker.program: native";

const hintOf = (worker: Worker, remedy?: string): string =>
  remedy === undefined ? back(worker) : `${remedy}; or ${back(worker)}`;

/** A failure of the program or of its protocol. */
export function programError(error: unknown, worker: Worker): RuntimeError {
  const message = error instanceof Error ? error.message : String(error);
  const remedy = error instanceof ProgramFailure ? error.remedy : undefined;
  return { class: "app_server", message: shown(message), hint: hintOf(worker, remedy) };
}

/** The turn took longer than it may. */
export const timeoutError = (ms: Ms, worker: Worker): RuntimeError => ({
  class: "timeout",
  message: `the app-server did not finish the turn within ${Math.round(ms / 1_000)} s`,
  hint: hintOf(worker, "raise app_server.turn_timeout_seconds"),
});

/** What a failed turn, or an error that is not tried again, tells. */
export interface TurnError {
  readonly message: string;
  readonly details: string | undefined;
  readonly info: unknown;
}

/** The error of a notification or of a turn; undefined: it has no error. */
export function turnErrorOf(value: unknown): TurnError | undefined {
  if (!isRecord(value)) return undefined;
  const { message, additionalDetails: details, codexErrorInfo: info } = value;
  return {
    message: typeof message === "string" ? message : "the app-server gave no reason",
    details: typeof details === "string" ? details : undefined,
    info,
  };
}

/** The error of a turn as its ending tells it (extensions part, 8.9). */
export function turnFailure(error: TurnError | undefined, worker: Worker, now: EpochMs): RuntimeError {
  const { message, details, info } = error ?? {
    message: "the app-server gave no reason",
    details: undefined,
    info: "",
  };
  const text = shown(details === undefined ? message : `${message}\n${details}`);
  if (isUnauthorized(info, text)) {
    const remedy = "log in again: `codex login`, or a valid OPENAI_API_KEY";
    return { class: "auth", message: text, hint: hintOf(worker, remedy) };
  }
  if (info === "serverOverloaded")
    return { class: "overloaded", message: text, hint: hintOf(worker, "try again in a while") };
  if (!isLimited(info)) return { class: "app_server", message: text, hint: back(worker) };
  const told = parseRateLimitResetMs({}, text, now);
  const retry = told === undefined ? {} : { retryAfterMs: told };
  return { class: "rate_limit", message: text, hint: hintOf(worker, "wait until the limit is over"), ...retry };
}

const isLimited = (info: unknown): boolean =>
  info === "usageLimitExceeded" || info === "rateLimitExceeded" || statusIn(info) === 429;

function isUnauthorized(info: unknown, text: string): boolean {
  if (info === "unauthorized") return true;
  return isRecord(info) && (statusIn(info) === 401 || /\bunauthori[sz]ed\b/i.test(text));
}

/** HTTP status that the model's server answered with: the member of each kind of failure has it. */
function statusIn(info: unknown): unknown {
  return isRecord(info) ? Object.values(info).find(isRecord)?.["httpStatusCode"] : undefined;
}
