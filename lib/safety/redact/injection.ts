/** Kinds of text that tries to command the model from inside a file (core part, 7.7). */
export type InjectionId =
  | "ignore_previous"
  | "role_hijack"
  | "prompt_override"
  | "prompt_exfiltration"
  | "hidden_text"
  | "secret_upload"
  | "credential_read"
  | "authorized_keys";

/** One line that looks like such a text; `line` counts from 1. */
export interface Flag {
  readonly line: number;
  readonly ids: readonly InjectionId[];
}

export interface Flagged {
  /** The same lines; each that looks wrong begins with `[flagged: <ids>] `. */
  readonly text: string;
  readonly flags: readonly Flag[];
}

type Pattern = readonly [InjectionId, RegExp];

/** Sentences. They may be broken over two lines, so they are looked for in pairs of lines as well. Every gap is bounded: the search is linear. */
const PHRASES: readonly Pattern[] = [
  [
    "ignore_previous",
    /\b(?:ignore|disregard|forget|override|bypass)\b[^.]{0,40}\b(?:previous|prior|earlier|above|preceding|foregoing|existing|your)\b[^.]{0,30}\b(?:instructions?|prompts?|rules|directions?|directives?|guidelines?|messages?|context)\b/i,
  ],
  ["ignore_previous", /\bforget\s+(?:everything|all)\s+(?:above|before|you\s+(?:know|were|have))\b/i],
  ["role_hijack", /\byou\s+are\s+(?:now|no\s+longer)\b|\bfrom\s+now\s+on,?\s+you\s+(?:are|act|will|must)\b/i],
  [
    "prompt_override",
    /\b(?:new|updated|real|actual|true)\s+(?:system\s+)?(?:instructions?|prompt)\s*:|\bsystem\s+prompt\s*(?:override|update|:)/i,
  ],
  [
    "prompt_exfiltration",
    /\b(?:reveal|print|show|repeat|output|leak|send|dump|display|quote)\b[^.]{0,40}\b(?:your|the)\s+(?:system|hidden|initial|original|secret)\s+(?:prompt|instructions?)\b/i,
  ],
];

/** Marks and commands, which stand in one line. */
const MARKS: readonly Pattern[] = [
  [
    "prompt_override",
    /<\/?\s*(?:system|project_context|assistant|user_message)\b[^>]{0,80}>|<\|im_(?:start|end)\|>|\[\/?INST\]|^\s*\[?system\]?\s*:/i,
  ],
  [
    "secret_upload",
    /\b(?:curl|wget|invoke-webrequest|nc|ncat)\b.{0,300}\$(?:\{|env:)?\w{0,40}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)\w{0,40}/i,
  ],
  [
    "credential_read",
    /\b(?:cat|less|head|tail|base64|xxd|strings|scp|upload|send|print|exfiltrate)\b.{0,80}(?:\bid_(?:rsa|dsa|ecdsa|ed25519)\b(?!\.pub)|\.netrc\b|\.pgpass\b|\.git-credentials\b|\.aws\/credentials\b|\/etc\/shadow\b|(?:^|[\s/"'`])\.env(?!\.(?:example|sample|template|dist)|[\w-]))/i,
  ],
  ["authorized_keys", /\bauthorized_keys\b/i],
];

/** Without one of these words in small letters no pattern fits. Looking for them costs a fraction of what the patterns cost. */
const WORDS = [
  "ignore",
  "disregard",
  "forget",
  "override",
  "bypass",
  "now",
  "no longer",
  "prompt",
  "instruction",
  "system",
  "project_context",
  "user_message",
  "assistant",
  "im_start",
  "im_end",
  "inst]",
  "curl",
  "wget",
  "invoke-web",
  "nc ",
  "ncat",
  "authorized_keys",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "netrc",
  "pgpass",
  "credentials",
  "shadow",
  ".env",
];

/** What shows nothing and still is read: bidi controls, zero-width characters where no script or emoji needs them, and tag characters. */
const INVISIBLE =
  /[\u202a-\u202e\u2066-\u2069\u200b\u2060\ufeff\u{e0001}\u{e0020}-\u{e007f}]|(?<!\ufe0f|[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Arabic}])[\u200c\u200d]/u;
const INVISIBLE_ALL = /[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0001}\u{e0020}-\u{e007f}]/gu;
/** Flags of regions: a black flag followed by tag characters. */
const REGION_FLAG = /\u{1f3f4}[\u{e0020}-\u{e007f}]{1,12}/gu;

/** Speaks to the model, or behind the user's back. Only looked for in comments, which are not seen when rendered. */
const TO_THE_MODEL =
  /\b(?:you|assistants?|agents?|ai|models?)\b.{0,40}\b(?:must|should|shall|need\s+to|have\s+to|are\s+to)\b|\b(?:do\s+not|don't|never)\s+(?:tell|mention|show|reveal|inform)\b|\bwithout\s+(?:telling|asking|informing)\b|\bsecretly\b|\b(?:ignore|disregard)\s+(?:all|any|every|previous|prior|earlier)\b|\b(?:curl|wget)\b.{0,80}https?:/is;

/**
 * Mark the lines that look like instructions planted for the model. No line is lost or moved. It labels, it does not forbid: a file that
 * speaks about such things is marked as well.
 *
 * @param first number of the first line, where the text is a part of a file
 */
export function flagLines(text: string, first = 1): Flagged {
  const lines = text.split("\n");
  const found = lines.map(() => new Set<InjectionId>());
  const plain = isAscii(text) ? lines : lines.map((line, index) => withoutHidden(line, found[index]));
  const closer = suspects(plain);
  for (const index of closer) {
    for (const [id, pattern] of [...PHRASES, ...MARKS]) if (pattern.test(plain[index] ?? "")) found[index]?.add(id);
  }
  for (const index of closer) for (const first of [index - 1, index]) flagPair(plain, found, first);
  for (const index of hiddenComments(text)) found[index]?.add("hidden_text");
  const flags = found.flatMap((ids, index) => (ids.size === 0 ? [] : [{ line: first + index, ids: [...ids] }]));
  if (flags.length === 0) return { text, flags };
  const marked = lines.map((line, index) =>
    found[index]?.size ? `[flagged: ${[...(found[index] ?? [])].join(", ")}] ${line}` : line,
  );
  return { text: marked.join("\n"), flags };
}

/** A line of a new text that scope `strict` refuses. */
export interface StrictFlag extends Flag {
  readonly text: string;
}

/**
 * Scope `strict`, for what is kept and read again in every conversation: the flagged lines that a new text would add. Lines that stood in the
 * text before are left out, so that the rest of it can still be changed.
 */
export function strictFlags(text: string, before = ""): readonly StrictFlag[] {
  const { flags } = flagLines(text);
  if (flags.length === 0) return [];
  const lines = text.split("\n");
  const old = before.split("\n");
  const known = new Set(flagLines(before).flags.map(({ line, ids }) => `${ids.join()} ${old[line - 1]}`));
  return flags
    .map((flag) => ({ ...flag, text: lines[flag.line - 1] ?? "" }))
    .filter(({ ids, text: line }) => !known.has(`${ids.join()} ${line}`));
}

/** Characters that steer a terminal or end a text early. */
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/;

/**
 * Scope `strict` (core part, 7.7): what is found anywhere in a text that later conversations will read as their own, its lines together and each
 * by itself. Empty: it may be kept.
 */
export function strictScan(text: string): readonly InjectionId[] {
  const found = new Set(
    [text, text.replace(/\s+/g, " ")].flatMap((one) => flagLines(one).flags.flatMap(({ ids }) => ids)),
  );
  if (CONTROL.test(text)) found.add("hidden_text");
  return [...found];
}

/** What a reader makes of a line; what is invisible in it is noted. */
function withoutHidden(line: string, ids: Set<InjectionId> | undefined): string {
  if (!isAscii(line) && INVISIBLE.test(line.replace(REGION_FLAG, ""))) ids?.add("hidden_text");
  return readable(line);
}

/** Invisible characters gone, look-alike forms of letters folded. */
const readable = (line: string) => (isAscii(line) ? line : line.replace(INVISIBLE_ALL, "").normalize("NFKC"));
const isAscii = (line: string) => !/[^\u0000-\u007f]/.test(line);

/** Indexes of the lines that hold one of the words. */
function suspects(lines: readonly string[]): readonly number[] {
  const text = lines.join("\n").toLowerCase();
  const starts: number[] = [];
  for (let at = 0; at !== 0 || starts.length === 0; at = text.indexOf("\n", at) + 1) starts.push(at);
  const found = new Set<number>();
  for (const word of WORDS) {
    let line = 0;
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, starts[line + 1] ?? text.length)) {
      while ((starts[line + 1] ?? Number.POSITIVE_INFINITY) <= at) line += 1;
      found.add(line);
    }
  }
  return [...found];
}

const PAIR_CHARS = 200;

/** A sentence that goes on in the next line marks both. */
function flagPair(lines: readonly string[], found: readonly Set<InjectionId>[], index: number): void {
  const one = lines[index];
  const two = lines[index + 1];
  const ids = found[index];
  const next = found[index + 1];
  if (!one || !two || !ids || !next) return;
  const both = `${one.slice(-PAIR_CHARS)} ${two.slice(0, PAIR_CHARS)}`;
  for (const [id, pattern] of PHRASES) {
    if (ids.has(id) || next.has(id) || !pattern.test(both)) continue;
    ids.add(id);
    next.add(id);
  }
}

/** Indexes of the lines of comments that speak to the model. */
function hiddenComments(text: string): readonly number[] {
  const lines: number[] = [];
  let line = 0;
  let counted = 0;
  const lineAt = (at: number) => {
    for (; counted < at; counted++) if (text.charCodeAt(counted) === 10) line += 1;
    return line;
  };
  let end = 0;
  for (let at = text.indexOf("<!--"); at !== -1; at = text.indexOf("<!--", end)) {
    const close = text.indexOf("-->", at + 4);
    end = close === -1 ? text.length : close;
    if (!TO_THE_MODEL.test(readable(text.slice(at + 4, end)))) continue;
    for (let index = lineAt(at), last = lineAt(end); index <= last; index++) lines.push(index);
  }
  return lines;
}
