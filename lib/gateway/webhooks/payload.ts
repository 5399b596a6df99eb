import type { Header } from "./signature.js";

export type Payload = Readonly<Record<string, unknown>>;

const DEPTH = 64;

/** What a request carries: a JSON object, else a form; undefined: neither. Names as `__proto__` are names like others. */
export function payloadOf(body: Buffer, contentType: string | undefined): Payload | undefined {
  const text = textOf(body);
  if (text === undefined) return undefined;
  const value = parsed(text);
  if (value !== undefined) return isMap(value.json) && !isDeep(value.json) ? value.json : undefined;
  const form = contentType?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded";
  if (!form && !/^[\w.%+[\]*-]{1,200}=/.test(text)) return undefined;
  const fields = Object.fromEntries(new URLSearchParams(text));
  return Object.keys(fields).length === 0 ? undefined : fields;
}

const isMap = (value: unknown): value is Payload => typeof value === "object" && value !== null && !Array.isArray(value);

function textOf(body: Buffer): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined; // no text
  }
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) };
  } catch {
    return undefined; // no JSON
  }
}

/** Looked at level by level: what is deep must not be walked down. */
function isDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEPTH) return true;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return false;
}

/** Name of the event: of a header, of the payload, else `unknown`. */
export function eventName(header: Header, payload: Payload): string {
  const named = header("x-github-event") ?? header("x-gitlab-event");
  if (named !== undefined) return named;
  for (const key of ["event_type", "type"]) {
    const value = Object.hasOwn(payload, key) ? payload[key] : undefined;
    if (typeof value === "string" && value !== "") return value.slice(0, 200);
  }
  return "unknown";
}

/** The id that the sender gave this delivery; undefined: none, so nothing can be recognised as a repetition. */
export function deliveryId(header: Header): string | undefined {
  const given = header("x-github-delivery") ?? header("svix-id") ?? header("x-request-id");
  return given === undefined || given === "" ? undefined : given;
}
