import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import { NetError, type NetRequest } from "../../../lib/base/net/net.js";
import { parseRateLimitResetMs } from "../../../lib/base/time/rate-limit-reset.js";
import { type EpochMs, type Ms, toIso } from "../../../lib/base/units.js";
import type { MediaContext, MediaOutcome } from "../../../lib/contracts/media/backends.js";
import { toScreenLine } from "../../../lib/safety/redact/text.js";

/** An answer of a provider, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON object of the body; undefined: it is something else. */
  readonly value: Readonly<Record<string, unknown>> | undefined;
  readonly text: string;
}

export type Failed = Extract<MediaOutcome, { ok: false }>;

const REQUEST_MS: Ms = 60_000;
const MOST_BYTES = 1 << 20;

/** One request to a provider that the user has set up. @throws NetError */
export async function ask(
  { net }: Pick<MediaContext, "net">,
  request: Pick<NetRequest, "method" | "url" | "headers" | "body">,
  signal: AbortSignal,
): Promise<Answer> {
  const response = await net.fetch({
    ...request,
    headers: { accept: "application/json", ...request.headers },
    purpose: "model",
    redirects: false,
    totalMs: REQUEST_MS,
    maxBytes: MOST_BYTES,
    signal,
  });
  try {
    const text = await response.text(MOST_BYTES);
    const value = jsonOf(text);
    return { status: response.status, headers: response.headers, value: isRecord(value) ? value : undefined, text };
  } finally {
    response.cancel();
  }
}

export const isGood = ({ status }: Answer): boolean => status >= 200 && status <= 299;

/** Another attempt may be answered in another way. */
export const mayPass = ({ status }: Answer): boolean => status === 429 || status === 408 || status >= 500;

/** What sentences on a backend are made of. */
export interface BackendWords {
  readonly name: string;
  /** What mends a refused credential. */
  readonly keyRemedy: string;
  /** Setting that chooses another backend. */
  readonly setting: string;
}

/** Why a provider did not do it, as the tool answers it: `<backend>_<status>` and what to do. */
export function refusal({ name, keyRemedy, setting }: BackendWords, answer: Answer, now: EpochMs): Failed {
  const { status, headers, text } = answer;
  const said = saidIn(answer.value);
  const answered = `${name} answered ${status}${said === undefined ? "" : `: ${said}`}`;
  return { ok: false, code: `${name}_${status}`, message: `${answered}. ${remedy()}` };

  function remedy(): string {
    if (status === 401 || status === 403) return `It does not accept the credential: ${keyRemedy}`;
    if (status === 402) return `The account has no credit left: add some, or choose another backend with ${setting}`;
    if (status === 429) {
      const wait = parseRateLimitResetMs(headers, text, now);
      const again =
        wait === undefined ? "Try again later" : `It is free again in ${seconds(wait)} s (${toIso(now + wait)})`;
      return `The limit of requests is used up. ${again}, or choose another backend with ${setting}`;
    }
    if (status >= 500) return `Try again later, or choose another backend with ${setting}`;
    return "Change the arguments, or choose another model";
  }
}

/** The network failed on the way to a provider. */
export function unreachable({ name, setting }: BackendWords, error: unknown): Failed {
  const why = error instanceof NetError ? error.message : "the request failed";
  const advice = `Try again, or choose another backend with ${setting}`;
  return { ok: false, code: "api_error", message: `${name} cannot be reached: ${why}. ${advice}` };
}

/** It answered well, and not what its protocol says. */
export function garbled({ name, setting }: BackendWords, wanted: string, { headers, text }: Answer): Failed {
  const type = (headers["content-type"] ?? "no type").split(";", 1)[0];
  const message = `${name} answered what holds no ${wanted} (${type}, ${text.length} characters). Check the address of the backend, or choose another one with ${setting}`;
  return { ok: false, code: "empty_response", message };
}

export const cancelled = (name: string, open: boolean): Failed => ({
  ok: false,
  code: "cancelled",
  message: open ? `${name} may go on with it` : `${name} has cancelled it`,
  ...(open ? { open } : {}),
});

const seconds = (ms: Ms): number => Math.max(1, Math.ceil(ms / 1_000));

/** What the body of a refusal says, in one line. */
export function saidIn(value: unknown): string | undefined {
  const text = wordsOf(value, 0);
  return text === undefined ? undefined : toScreenLine(text, 300);
}

function wordsOf(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value.trim() === "" ? undefined : value.trim();
  if (depth > 3) return undefined;
  if (Array.isArray(value)) return wordsOf(value[0], depth + 1);
  if (!isRecord(value)) return undefined;
  for (const name of ["error", "detail", "message", "msg"]) {
    const words = wordsOf(value[name], depth + 1);
    if (words !== undefined) return words;
  }
  return undefined;
}

/** A text inside of a JSON body, by its way; undefined without one. */
export function textAt(value: unknown, ...way: readonly (string | number)[]): string | undefined {
  const found = way.reduce<unknown>(
    (at, name) =>
      typeof name === "number" ? (Array.isArray(at) ? at[name] : undefined) : isRecord(at) ? at[name] : undefined,
    value,
  );
  return typeof found === "string" && found !== "" ? found : undefined;
}
