import { isFields, jsonBody, jsonFields } from "../../safety/redact/json-body.js";
import type { ReadHeader } from "./signature.js";

export type Payload = Readonly<Record<string, unknown>>;

/**
 * What a request carries: a JSON object, else a form; undefined: neither. A form whose only field `payload` holds a JSON object, as GitHub sends it, is
 * that object. Names as `__proto__` are names like others.
 */
export function payloadOf(body: Buffer, contentType: string | undefined): Payload | undefined {
  const text = textOf(body);
  if (text === undefined) return undefined;
  const value = jsonBody(text);
  if (value !== undefined) return isFields(value.json) ? value.json : undefined;
  const form = contentType?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
  if (!form && !/^[\w.%+[\]*-]{1,200}=/.test(text)) return undefined;
  const fields = Object.fromEntries(new URLSearchParams(text));
  return Object.keys(fields).length === 0 ? undefined : (wrappedIn(fields) ?? fields);
}

function wrappedIn(fields: Readonly<Record<string, string>>): Payload | undefined {
  const { payload, ...others } = fields;
  return payload === undefined || Object.keys(others).length > 0 ? undefined : jsonFields(payload);
}

function textOf(body: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // no text
  }
}

/** Name of the event: of a header, of the payload, else `unknown`. */
export function eventName(header: ReadHeader, payload: Payload): string {
  const named = header("x-github-event") ?? header("x-gitlab-event");
  if (named !== undefined) return named;
  for (const key of ["event_type", "type"]) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === "string" && value !== "") return value.slice(0, 200);
  }
  return "unknown";
}

/** The id that the sender gave this delivery; undefined: none, so nothing can be recognised as a repetition. */
export function deliveryId(header: ReadHeader): string | undefined {
  const given = header("x-github-delivery") ?? header("svix-id") ?? header("x-request-id");
  return given === undefined || given === "" ? undefined : given;
}
