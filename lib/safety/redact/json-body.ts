/** Deepest nesting that is taken. What is walked down later by recursion cannot exhaust the stack. */
const DEPTH = 64;

/**
 * The JSON value in a body that a stranger sent; undefined: the bytes are not UTF-8, or not JSON, or nested deeper than any real value. Names as
 * `__proto__` are names like others.
 */
export function jsonBody(body: Uint8Array | string): { readonly json: unknown } | undefined {
  const read = parsed(body);
  return read === undefined || isDeep(read.json) ? undefined : read;
}

/** The same, when the value is an object. */
export function jsonFields(body: Uint8Array | string): Readonly<Record<string, unknown>> | undefined {
  const value = jsonBody(body)?.json;
  return isFields(value) ? value : undefined;
}

/** An object other than a list. */
export const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parsed(body: Uint8Array | string): { readonly json: unknown } | undefined {
  try {
    return {
      json: JSON.parse(typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body)),
    };
  } catch {
    return undefined; // no text, or no JSON
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
