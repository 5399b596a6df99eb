import { sanitize, sanitizeLine } from "../sanitize.js";

type Data = Readonly<Record<string, unknown>>;

/** One answer that a question offers. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly answer: string;
  /** Rules that it would store, as they would be written. */
  readonly rules: readonly string[];
}

/** An open question of the shown session. */
export interface Question {
  readonly request: string;
  readonly kind: "approval" | "clarify" | "password" | "secret";
  readonly title: string;
  /** What is asked about, whole: the command, the question, the prompt. */
  readonly body: string;
  readonly diff: string;
  /** Directory, parts and reasons. */
  readonly details: readonly string[];
  readonly choices: readonly Choice[];
  /** Wall clock at which it closes by itself. */
  readonly expiresAt: number | undefined;
  /** Monotonic time at which it came to be seen. */
  readonly since: number;
}

const KINDS = new Set(["approval", "clarify", "password", "secret"]);

const isKind = (kind: string): kind is Question["kind"] => KINDS.has(kind);

/** The question of an event `*.requested`, or of the list of open ones; undefined for what this screen does not know. */
export function toQuestion(kind: string, data: Data, since: number): Question | undefined {
  const request = text(data["request"]);
  if (!isKind(kind) || request === "") return undefined;
  const common = { request, kind, since, diff: "", ...expiry(data) };
  if (kind === "approval") return { ...common, ...approval(data) };
  if (kind === "clarify")
    return { ...common, title: "the agent asks", body: sanitize(text(data["question"])), details: [], choices: offered(data) };
  return { ...common, title: kind, body: sanitize(text(data["prompt"])), details: [], choices: [] };
}

const expiry = (data: Data): { expiresAt: number | undefined } => ({
  expiresAt: typeof data["expires_at"] === "number" ? data["expires_at"] : undefined,
});

const LABELS: Readonly<Record<string, readonly [string, string]>> = {
  once: ["o", "[o]nce"],
  edits: ["e", "all [e]dits here"],
  session: ["s", "[s]ession"],
  project: ["p", "[p]roject"],
  always: ["a", "[a]lways"],
  deny: ["d", "[d]eny"],
};

function approval(data: Data): Pick<Question, "title" | "body" | "details" | "choices" | "diff"> {
  const rules = record(data["rules"]);
  const choices = list(data["options"]).flatMap((option): Choice[] => {
    const label = LABELS[text(option)];
    return label === undefined
      ? []
      : [{ key: label[0], label: label[1], answer: text(option), rules: list(rules[text(option)]).map(line) }];
  });
  const origin = record(data["origin"]);
  const who = origin["child"] === undefined ? "" : " for a child";
  const segments = list(data["segments"]).map(record);
  const parts =
    segments.length < 2
      ? []
      : segments.map((one) => `· ${line(one["argv"])}${one["class"] === undefined ? "" : ` (${line(one["class"])})`}`);
  const reasons = list(data["reasons"])
    .map(record)
    .map((reason) => `${line(reason["class"])}: ${line(reason["text"])}`);
  return {
    title: `${line(data["kind"])} needs your permission${who}`,
    body: sanitize(text(data["command"])),
    diff: sanitize(text(data["diff"])),
    details: [`in ${line(data["cwd"])}`, ...parts, ...reasons],
    choices,
  };
}

const offered = (data: Data): readonly Choice[] =>
  list(data["choices"]).map((choice, at) => ({ key: String(at + 1), label: `${at + 1} ${line(choice)}`, answer: text(choice), rules: [] }));

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const line = (value: unknown): string => sanitizeLine(text(value));
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Data => (typeof value === "object" && value !== null ? { ...value } : {});
