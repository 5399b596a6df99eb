import { isRecord, jsonOf } from "../../base/json/record.js";
import { type Net, NetError, type NetRequest } from "../../base/net/net.js";
import type { Ms } from "../../base/units.js";

/** What the server of a login answered, or that no answer came. */
export type FormReply =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      /** Members of the JSON body; empty when it is none. */
      readonly body: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "silence"; readonly message: string };

/** Proxy part, 8. */
const TIMEOUT_MS: Ms = 20_000;
const MOST_CHARS = 256 << 10;

export interface PostOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Post a form. Redirects are not followed: it carries secrets. @throws the signal's reason */
export async function postForm(
  net: Net,
  url: string,
  fields: Readonly<Record<string, string | undefined>>,
  { signal, headers = {} }: PostOptions = {},
): Promise<FormReply> {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.set(name, value);
  const type = { "content-type": "application/x-www-form-urlencoded", accept: "application/json" };
  return exchange(net, { method: "POST", url, body: form.toString(), headers: { ...type, ...headers } }, signal);
}

/** Post a JSON document. @throws the signal's reason */
export function postJson(
  net: Net,
  url: string,
  value: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
): Promise<FormReply> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return exchange(net, { method: "POST", url, body: JSON.stringify(value), headers }, signal);
}

/** Ask for a JSON document. @throws the signal's reason */
export const getJson = (net: Net, url: string, signal?: AbortSignal): Promise<FormReply> =>
  exchange(net, { method: "GET", url, headers: { accept: "application/json" } }, signal);

type Asked = Pick<NetRequest, "method" | "url" | "headers" | "body">;

async function exchange(net: Net, asked: Asked, signal: AbortSignal | undefined): Promise<FormReply> {
  try {
    const limits = { totalMs: TIMEOUT_MS, maxBytes: MOST_CHARS, purpose: "model", redirects: false } as const;
    const response = await net.fetch({ ...asked, ...limits, ...(signal === undefined ? {} : { signal }) });
    const body = jsonOf(await response.text(MOST_CHARS));
    return { kind: "answer", status: response.status, headers: response.headers, body: isRecord(body) ? body : {} };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof NetError)) throw error;
    return { kind: "silence", message: error.message };
  }
}

/** A member of a body that is a text, and not an empty one. */
export function readBodyText(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** What an error body says: OAuth's `error` and its description, or the members that others use. */
export function readErrorBody(body: Readonly<Record<string, unknown>>): {
  readonly code: string | undefined;
  readonly message: string | undefined;
} {
  const inner = body["error"];
  if (isRecord(inner))
    return {
      code: readBodyText(inner, "code") ?? readBodyText(inner, "type"),
      message: readBodyText(inner, "message"),
    };
  return {
    code: readBodyText(body, "error"),
    message: readBodyText(body, "error_description") ?? readBodyText(body, "message"),
  };
}
