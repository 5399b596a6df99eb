import { isRecord } from "../../base/json/record.js";

/** Most characters of a foreign message that are shown (core part, 4.1). */
const MAX_MESSAGE = 300;

/** What an error body says, in one line: the message of its JSON, the title of its HTML, or its text. */
export interface ErrorText {
  readonly message: string;
  /** Code of the provider (`insufficient_quota`), lower case; empty without one. */
  readonly code: string;
  /** Everything in which words are looked for, lower case. */
  readonly words: string;
}

export function errorText(body: string): ErrorText {
  const value = asJson(body);
  const found = value === undefined ? { message: plain(body), code: "" } : fromJson(value);
  return {
    message: oneLine(found.message).slice(0, MAX_MESSAGE),
    code: found.code.toLowerCase(),
    words: `${found.code} ${found.message} ${body.slice(0, 4000)}`.toLowerCase(),
  };
}

/** The error inside a chunk or body, or undefined when it holds none. */
export function extractError(value: unknown): unknown {
  return isRecord(value) && value["error"] !== undefined && value["error"] !== null && !("choices" in value)
    ? value
    : undefined;
}

function fromJson(value: unknown): { message: string; code: string } {
  if (Array.isArray(value)) return fromJson(value[0]);
  if (typeof value === "string") return { message: value, code: "" };
  if (!isRecord(value)) return { message: "", code: "" };
  const inner = value["error"] ?? value["detail"] ?? value;
  if (!isRecord(inner)) return { message: typeof inner === "string" ? inner : JSON.stringify(inner), code: "" };
  const raw = nested(inner);
  if (raw !== undefined) return raw;
  const message = inner["message"] ?? inner["msg"] ?? inner["detail"] ?? inner["error"];
  const code = inner["code"] ?? inner["type"] ?? inner["status"];
  const shown = typeof message === "string" ? message : JSON.stringify(message ?? inner);
  const deep = message === undefined ? undefined : asJson(shown); // without a message it is this object again
  if (isRecord(deep)) return fromJson(deep);
  return { message: shown, code: typeof code === "string" || typeof code === "number" ? String(code) : "" };
}

/** Routers put the body of the provider behind them into `error.metadata.raw`. */
function nested(inner: Readonly<Record<string, unknown>>): { message: string; code: string } | undefined {
  const metadata = inner["metadata"];
  const raw = isRecord(metadata) ? metadata["raw"] : undefined;
  if (typeof raw !== "string" || raw.trim() === "") return undefined;
  const value = asJson(raw);
  return value === undefined ? { message: raw, code: "" } : fromJson(value);
}

function plain(body: string): string {
  const title = /<title[^>]*>([^<]{0,300})/i.exec(body)?.[1];
  if (title === undefined && !/<html|<!doctype/i.test(body)) return body;
  const id = /\b(?:request|ray)[ -]?id[^A-Za-z0-9]{1,20}([A-Za-z0-9-]{6,64})/i.exec(body.slice(0, 20_000))?.[1];
  return `${title?.trim() ?? "an HTML page instead of an answer"}${id === undefined ? "" : ` (request ${id})`}`;
}

function asJson(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    /* ok to lose: invalid JSON is read as text. */
    return undefined;
  }
}

const oneLine = (text: string) => text.replace(/[\u0000-\u0020\u007f-\u009f]+/g, " ").trim();
