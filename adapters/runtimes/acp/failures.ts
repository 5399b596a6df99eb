import type { Ms } from "../../../lib/base/units.js";
import type { RuntimeError } from "../../../lib/contracts/runtimes/runtime.js";
import { createRedactor } from "../../../lib/safety/redact/redact.js";

/** The way back to the loop. */
const BACK = "run `agent config set worker.program native` to work tasks without the program";

/** What went wrong with a program, as the ending of a turn tells it. It does not leave this folder. */
export class ProgramFailure extends Error {
  readonly error: RuntimeError;
  constructor(error: RuntimeError) {
    super(error.message);
    this.error = error;
  }
}

/** Failure of the protocol or of the program itself. */
export const failure = (message: string, remedy?: string): ProgramFailure => failed("acp", message, remedy);

const failed = (kind: string, message: string, remedy: string | undefined): ProgramFailure =>
  new ProgramFailure({
    class: kind,
    message: shown(message),
    hint: remedy === undefined ? BACK : `${remedy}; or ${BACK}`,
  });

/** The turn took longer than it may. */
export const tooLong = (name: string, ms: Ms): ProgramFailure =>
  failed(
    "timeout",
    `${name} did not finish the turn within ${Math.round(ms / 1_000)} s`,
    "raise app_server.turn_timeout_seconds",
  );

const CHECK = "check that worker.command starts the program as an agent of the Agent Client Protocol";

const printed = (stray: string | undefined): string =>
  stray === undefined ? "" : `\nit printed text that is not the protocol: ${stray}`;

/** The program did not answer in time. */
export const silent = (
  name: string,
  doing: string,
  seen: { readonly within: Ms; readonly stray: string | undefined },
): ProgramFailure =>
  failure(`${name} did not answer within ${seen.within / 1_000} s when asked to ${doing}${printed(seen.stray)}`, CHECK);

/** The program ended while it was asked for something. */
export const gone = (
  name: string,
  doing: string,
  seen: { readonly reason: string; readonly stray?: string | undefined },
): ProgramFailure =>
  failure(
    `${name} ended when asked to ${doing}: ${seen.reason}${printed(seen.stray)}`,
    seen.stray === undefined ? undefined : CHECK,
  );

/** The program has no login. */
function needsLogin(name: string, said: string, methods: readonly string[]): ProgramFailure {
  const offered = methods.length === 0 ? "" : ` (it offers: ${methods.join(", ")})`;
  return failed("auth", `${name} is not logged in: ${said}`, `log in with ${name} itself, in a terminal${offered}`);
}

const AUTH_REQUIRED = -32_000;

/** An error that the program answered with. `doing` names what it was asked for. */
export function answered(name: string, doing: string, error: unknown, methods: readonly string[]): ProgramFailure {
  const said = saidIn(error);
  if (codeOf(error) === AUTH_REQUIRED || UNAUTHORIZED.test(said)) return needsLogin(name, said, methods);
  const message = `${name} failed to ${doing}: ${said}`;
  if (!LIMITED.test(said)) return failure(message);
  return failed("rate_limit", message, "wait until the limit of its account is lifted");
}

const UNAUTHORIZED = /\bunauthori[sz]ed\b|\b401\b|authentication required/i;
const LIMITED = /usage.?limit|rate.?limit|quota|too many requests|\b429\b/i;

/** Code of a JSON-RPC error. */
const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;

const SAID_CHARS = 2_000;

/** Message of an error, with its data where that says more. */
function saidIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const data: unknown = Reflect.get(error, "data");
  if (data === undefined || data === null) return error.message;
  const more = typeof data === "string" ? data : JSON.stringify(data);
  return (more === "{}" ? error.message : `${error.message}: ${more}`).slice(0, SAID_CHARS);
}

const redactor = createRedactor({ known: () => [], enabled: true });

/** Text of a program as a person may see it: without secrets and control characters. */
export const shown = (text: string): string =>
  redactor.text(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
