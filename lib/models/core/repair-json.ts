/** Most brackets that a repair adds or drops (core part, 3.2). */
const MAX_BRACKETS = 50;

export type Repaired =
  | { readonly ok: true; readonly json: string; readonly changed: boolean }
  /** `at`: character at which it cannot be read. `cut`: the text ends inside a string, so it may only be incomplete. */
  | { readonly ok: false; readonly error: string; readonly at: number; readonly cut: boolean };

/**
 * Make the argument text of a tool call readable: empty becomes `{}`, raw control characters inside strings are escaped, trailing commas dropped,
 * missing closing brackets added and surplus ones dropped. Text that is JSON already is given back unchanged.
 */
export function repairJson(text: string): Repaired {
  if (text.trim() === "") return { ok: true, json: "{}", changed: text !== "{}" };
  const direct = parseError(text);
  if (direct === undefined) return { ok: true, json: text, changed: false };
  const mended = mend(text);
  if (!mended.ok) return mended;
  const still = parseError(mended.json);
  if (still === undefined) return mended;
  return { ok: false, error: still.message, at: still.at ?? firstOddity(text), cut: false };
}

interface ParseError {
  readonly message: string;
  readonly at: number | undefined;
}

function parseError(text: string): ParseError | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = /position (\d+)/.exec(message)?.[1];
    return {
      message: message.replace(/,? *"[\s\S]*" is not valid JSON$/, " is not valid JSON"),
      at: at === undefined ? undefined : Number(at),
    };
  }
}

/** Where a reader trips: the end for text that merely stops. */
function firstOddity(text: string): number {
  const at = text.search(/\S\s*$/);
  return at < 0 ? 0 : at;
}

interface Mending {
  out: string;
  readonly open: string[];
  changes: number;
}

function mend(text: string): Repaired {
  const state: Mending = { out: "", open: [], changes: 0 };
  let at = 0;
  while (at < text.length) {
    const char = text[at] ?? "";
    if (char === '"') {
      const end = endOfString(text, at);
      if (end < 0) return { ok: false, error: "Unterminated string", at, cut: true };
      state.out += escapeControls(text.slice(at, end));
      at = end;
      continue;
    }
    structure(state, char);
    at += 1;
  }
  for (const bracket of state.open.reverse()) {
    state.out = withoutComma(state.out) + (bracket === "{" ? "}" : "]");
    state.changes += 1;
  }
  if (state.changes > MAX_BRACKETS)
    return { ok: false, error: "More than 50 brackets do not match", at: firstOddity(text), cut: false };
  return { ok: true, json: state.out, changed: true };
}

/** Add one character outside strings; a closing bracket closes what is open or is dropped. */
function structure(state: Mending, char: string): void {
  if (char === "{" || char === "[") {
    state.open.push(char);
    state.out += char;
    return;
  }
  if (char !== "}" && char !== "]") {
    state.out += char;
    return;
  }
  const wanted = char === "}" ? "{" : "[";
  if (!state.open.includes(wanted)) {
    state.changes += 1;
    return;
  }
  while (state.open.at(-1) !== wanted) {
    state.out = withoutComma(state.out) + (state.open.pop() === "{" ? "}" : "]");
    state.changes += 1;
  }
  state.open.pop();
  state.out = withoutComma(state.out) + char;
}

function withoutComma(text: string): string {
  const bare = text.trimEnd();
  return bare.endsWith(",") ? bare.slice(0, -1) : text;
}

/** Index after the closing quote of the string that opens at `at`, or -1. */
function endOfString(text: string, at: number): number {
  for (let n = at + 1; n < text.length; n++) {
    if (text[n] === "\\") n += 1;
    else if (text[n] === '"') return n + 1;
  }
  return -1;
}

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f" };

function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u001f]/g,
    (char) => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
