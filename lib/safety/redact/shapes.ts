/** Kinds of secrets, as placeholders name them (core part, 22.3). */
export const SECRET_TYPES = [
  "api_key",
  "git_token",
  "chat_token",
  "cloud_key",
  "payment_key",
  "registry_token",
  "jwt",
  "private_key",
  "password",
  "bearer",
  "literal",
] as const;
export type SecretType = (typeof SECRET_TYPES)[number];

/** A secret found in a text. */
export interface Span {
  readonly from: number;
  readonly to: number;
  readonly type: SecretType;
}

/**
 * Known beginnings. `least` counts the characters behind the beginning; `mixed` ones are short words of ordinary code too, so they also
 * need a digit and a letter.
 */
const BEGINNINGS: readonly {
  readonly start: string;
  readonly type: SecretType;
  readonly least: number;
  readonly mixed?: true;
}[] = [
  { start: "sk-", type: "api_key", least: 10 },
  { start: "ghp_", type: "git_token", least: 10 },
  { start: "gho_", type: "git_token", least: 10 },
  { start: "ghu_", type: "git_token", least: 10 },
  { start: "ghs_", type: "git_token", least: 10 },
  { start: "ghr_", type: "git_token", least: 10 },
  { start: "github_pat_", type: "git_token", least: 10 },
  { start: "glpat-", type: "git_token", least: 10 },
  { start: "xoxb-", type: "chat_token", least: 10 },
  { start: "xoxa-", type: "chat_token", least: 10 },
  { start: "xoxp-", type: "chat_token", least: 10 },
  { start: "xoxr-", type: "chat_token", least: 10 },
  { start: "xoxs-", type: "chat_token", least: 10 },
  { start: "AIza", type: "cloud_key", least: 30 },
  { start: "AKIA", type: "cloud_key", least: 16 },
  { start: "dop_v1_", type: "cloud_key", least: 16 },
  { start: "doo_v1_", type: "cloud_key", least: 16 },
  { start: "gAAAA", type: "api_key", least: 20 },
  { start: "sk_live_", type: "payment_key", least: 8 },
  { start: "sk_test_", type: "payment_key", least: 8 },
  { start: "rk_live_", type: "payment_key", least: 8 },
  { start: "npm_", type: "registry_token", least: 16, mixed: true },
  { start: "pypi-", type: "registry_token", least: 16 },
  { start: "SG.", type: "api_key", least: 16, mixed: true },
  { start: "pplx-", type: "api_key", least: 12, mixed: true },
  { start: "fal_", type: "api_key", least: 12, mixed: true },
  { start: "fc-", type: "api_key", least: 16, mixed: true },
  { start: "bb_live_", type: "api_key", least: 8, mixed: true },
  { start: "hf_", type: "api_key", least: 16, mixed: true },
  { start: "r8_", type: "api_key", least: 16, mixed: true },
  { start: "am_", type: "api_key", least: 16, mixed: true },
  { start: "sk_", type: "api_key", least: 16, mixed: true },
  { start: "tvly-", type: "api_key", least: 12, mixed: true },
  { start: "exa_", type: "api_key", least: 12, mixed: true },
  { start: "gsk_", type: "api_key", least: 16, mixed: true },
  { start: "syt_", type: "chat_token", least: 12, mixed: true },
  { start: "hsk-", type: "api_key", least: 12, mixed: true },
  { start: "mem0_", type: "api_key", least: 12, mixed: true },
  { start: "brv_", type: "api_key", least: 12, mixed: true },
  { start: "xai-", type: "api_key", least: 30 },
  { start: "ntn_", type: "api_key", least: 12, mixed: true },
];

/**
 * What may stand before a secret: anything but a character of a name. In JSON text the `n` of an escaped line end is none, and one minus is
 * the mark of a line of a difference.
 */
const BEFORE = "(?<=(?:^|[^A-Za-z0-9_-]|\\\\[nrtbf])-?|(?:^|[\\r\\n]|\\\\[nr])--)";

const STARTS = new RegExp(
  `${BEFORE}(?:${BEGINNINGS.map(({ start }) => start.replace(".", "\\.")).join("|")})[A-Za-z0-9_.-]{8,}`,
  "g",
);

/** Names of settings that hold secrets. */
const NAME = /API_?KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR)/;
const ASSIGNED =
  /(?<=^|[^A-Za-z0-9_]|\\[nrtbf])([A-Z][A-Z0-9_]{2,80})=(\\{0,31}["'])?((?<=["'])[^"'\\\n]+|[^\s"'\\`;&|<>()]+)/g;
const FIELDS =
  "api[_-]?key|token|secret|password|passwd|access[_-]?token|refresh[_-]?token|auth[_-]?token|bearer|client[_-]?secret|secret[_-]?value|key[_-]?material|private[_-]?key";
const FIELD = new RegExp(
  `(?<=^|[^A-Za-z0-9_?&-]|\\\\[nrtbf])(${FIELDS})\\\\{0,31}["']?[ \\t]{0,8}[:=][ \\t]{0,8}(\\\\{0,31}["'])?([^\\s"'\\\\,;&<>(){}\\[\\]]{8,4096})`,
  "gi",
);
const BEARER = /(?<=^|[^A-Za-z0-9_]|\\[nrtbf])Bearer[ \t]+([A-Za-z0-9._~+/=-]{8,8192})/gi;
const HEADER =
  /(?<=^|[^A-Za-z0-9_-]|\\[nrtbf])(?:proxy-authorization|authorization|x-api-key|set-cookie|cookie)\\{0,31}["']?[ \t]{0,8}[:=][ \t]{0,8}(?:\\{0,31}["'])?(?:(?:Basic|Token|Digest|ApiKey)[ \t]+)?([^\s"'\\,<>]{8,8192})/gi;
const BOT = /(?<=^|[^A-Za-z0-9_]|\\[nrtbf])\d{8,16}:[A-Za-z0-9_-]{30,64}(?![A-Za-z0-9_-])/g;
const JWT = /(?<=^|[^A-Za-z0-9_-]|\\[nrtbf])eyJ[A-Za-z0-9_-]{8,4096}\.[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}/g;
const URL_PASSWORD =
  /(?<=^|[^A-Za-z0-9]|\\[nrtbf])(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)(?:\+\w{1,20})?:\/\/[^\s:/@"']{0,256}:([^\s@/"']{1,256})@/g;

/** What is only a stand-in for a secret. */
const HARMLESS =
  /^(?:\$|%|\{\{|<|«|\[|\*{3}|process\.env|os\.environ|env\.|\d+$|(?:your|my|the|an?|some|test|dummy|fake|example|placeholder|changeme|change[-_]me|xxx|redacted|secret:|null|none|true|false|undefined|string|required|optional)(?:[^A-Za-z]|$)|x{3,}|your[-_])/i;

/** A value that is not a secret: a variable, a stand-in, digits only, or too short (core part, 22.2). */
const isHarmless = (value: string): boolean => value.length < 8 || HARMLESS.test(value) || value.includes("secret:");

/** Secrets by their shape. `code`: the text is source code, where names and fields say little. */
export function findShapes(text: string, code: boolean): readonly Span[] {
  const spans: Span[] = [...privateKeys(text), ...beginnings(text)];
  if (!code) spans.push(...assignments(text), ...fields(text), ...formBody(text));
  for (const { hint, pattern, type } of SIMPLE) if (hint.test(text)) spans.push(...matches(text, pattern, type));
  return spans;
}

/** A hint is a quick look for what every match must hold; most texts end there. */
const SIMPLE: readonly { readonly hint: RegExp; readonly pattern: RegExp; readonly type: SecretType }[] = [
  { hint: /bearer[ \t]/i, pattern: BEARER, type: "bearer" },
  { hint: /authorization|x-api-key|cookie/i, pattern: HEADER, type: "bearer" },
  { hint: /\d{8}:/, pattern: BOT, type: "chat_token" },
  { hint: /eyJ/, pattern: JWT, type: "jwt" },
  { hint: /:\/\//, pattern: URL_PASSWORD, type: "password" },
];
const START_HINT = new RegExp(BEGINNINGS.map(({ start }) => start.replace(".", "\\.")).join("|"));
const ASSIGN_HINT = /[A-Z0-9_]=/;
const FIELD_HINT = /key|token|secret|passw|bearer/i;

function matches(text: string, pattern: RegExp, type: SecretType): readonly Span[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const value = match[1] ?? match[0];
    const from = match.index + (match[1] === undefined ? 0 : match[0].lastIndexOf(value));
    const least = type === "password" ? 1 : 8;
    return value.length < least || (HARMLESS.test(value) && !/^\d+:/.test(value))
      ? []
      : [{ from, to: from + value.length, type }];
  });
}

function beginnings(text: string): readonly Span[] {
  if (!START_HINT.test(text)) return [];
  return [...text.matchAll(STARTS)].flatMap((match) => {
    const found = BEGINNINGS.find(({ start }) => match[0].startsWith(start));
    if (found === undefined) return [];
    const allowed = found.start === "SG." ? /^[A-Za-z0-9_.-]+/ : /^[A-Za-z0-9_-]+/;
    const rest = allowed.exec(match[0].slice(found.start.length))?.[0] ?? "";
    if (rest.length < found.least || (found.mixed && !(/\d/.test(rest) && /[A-Za-z]/.test(rest)))) return [];
    return [{ from: match.index, to: match.index + found.start.length + rest.length, type: found.type }];
  });
}

function assignments(text: string): readonly Span[] {
  if (!ASSIGN_HINT.test(text)) return [];
  return [...text.matchAll(ASSIGNED)].flatMap((match) => {
    const [whole, name = "", , value = ""] = match;
    if (!NAME.test(name) || isHarmless(value)) return [];
    const from = match.index + whole.length - value.length;
    return [{ from, to: from + value.length, type: typeOf(name) }];
  });
}

/** A value without quotes must look like a key: in source code `token: getToken` is not a secret. */
function fields(text: string): readonly Span[] {
  if (!FIELD_HINT.test(text)) return [];
  return [...text.matchAll(FIELD)].flatMap((match) => {
    const [whole, name = "", quote, value = ""] = match;
    const bare = quote === undefined;
    if (isHarmless(value) || (bare && !(/\d/.test(value) && /[A-Za-z]/.test(value) && /^[\w+/=.~-]+$/.test(value))))
      return [];
    const from = match.index + whole.length - value.length;
    return [{ from, to: from + value.length, type: typeOf(name) }];
  });
}

function typeOf(name: string): SecretType {
  if (/pass/i.test(name)) return "password";
  return /bearer/i.test(name) ? "bearer" : "api_key";
}

/** A text that is nothing but `key=value&key=value`. */
function formBody(text: string): readonly Span[] {
  if (text.length > 65_536 || !/^[\w.~%+*-]{1,128}=[^\s&]*(?:&[\w.~%+*-]{1,128}=[^\s&]*)+$/.test(text)) return [];
  const pattern = new RegExp(`(?:^|&)(?:${FIELDS})=([^&]+)`, "gi");
  return matches(text, pattern, "api_key");
}

const KEY_BEGIN = "-----BEGIN ";
const KEY_HEAD = /^-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** PEM keys; one without an end takes the rest of the text. */
function privateKeys(text: string): readonly Span[] {
  const spans: Span[] = [];
  let at = text.indexOf(KEY_BEGIN);
  while (at !== -1) {
    let next = at + KEY_BEGIN.length;
    if (KEY_HEAD.test(text.slice(at, at + 90))) {
      KEY_END.lastIndex = at;
      const end = KEY_END.exec(text);
      next = end === null ? text.length : end.index + end[0].length;
      spans.push({ from: at, to: next, type: "private_key" });
    }
    at = text.indexOf(KEY_BEGIN, next);
  }
  return spans;
}

/** Index from which the end of a text may be the beginning of a secret that goes on behind a blank; -1 when it is none. */
export function openTail(text: string): number {
  const key = openKey(text);
  if (key !== -1) return key;
  const tail = text.slice(-600);
  const match = OPEN_TAIL.exec(tail);
  return match === null ? -1 : text.length - tail.length + match.index;
}

/** Index of the first key that begins and does not end in the text; -1 without one. */
function openKey(text: string): number {
  let at = text.indexOf(KEY_BEGIN);
  while (at !== -1) {
    const head = text.slice(at, at + 90);
    if (head.length < 90 && /^-----BEGIN [A-Z0-9 ]{0,60}-{0,5}$/.test(head)) return at;
    KEY_END.lastIndex = at;
    if (KEY_HEAD.test(head) && KEY_END.exec(text) === null) return at;
    at = text.indexOf(KEY_BEGIN, at + KEY_BEGIN.length);
  }
  return -1;
}

/** A name, header or scheme whose value may follow, or a quoted value that is still open. */
const OPEN_TAIL = new RegExp(
  `(?<![A-Za-z0-9_-])(?:(?:${FIELDS}|proxy-authorization|authorization|x-api-key|set-cookie|cookie)\\\\{0,31}["']?[ \\t]{0,8}(?:[:=][ \\t]{0,8}(?:\\\\{0,31}["'])?(?:(?:Basic|Token|Digest|ApiKey|Bearer)[ \\t]*)?)?|Bearer[ \\t]*|[A-Z][A-Z0-9_]{2,80}=\\\\{0,31}["'][^"'\\\\\\n]{0,400})$`,
  "i",
);
