import { RULE_WIDTHS, type RuleWidth } from "../../lib/contracts/chat/questions.js";
import { sanitize, sanitizeLine } from "../draw/sanitize.js";
import { type Filled, filledWithDefaults, readForm } from "./form/form.js";

type Data = Readonly<Record<string, unknown>>;

/** One answer that a question offers. */
export interface Choice {
  readonly key: string;
  readonly label: string;
  readonly answer: string;
  /** Rules that it would store, as they would be written, by how far they reach; none: it stores nothing. */
  readonly rules: Readonly<Partial<Record<RuleWidth, readonly string[]>>>;
  /** What it does, in words, where the answer of another kind of question means something else. */
  readonly effect?: string;
}

/** A simple command of the line that is asked about. */
export interface Part {
  readonly argv: string;
  readonly risk: string;
  readonly why: string;
}

/** An open question of the shown session. */
export interface Question {
  readonly request: string;
  readonly kind: "approval" | "clarify" | "form" | "password" | "secret";
  /** Id of the call that waits for the answer; empty: not told. */
  readonly call: string;
  /** What kind of thing it is about, and who asks. */
  readonly title: string;
  /** What is asked about, whole: the command, the question, the prompt. */
  readonly body: string;
  readonly diff: string;
  readonly cwd: string;
  readonly parts: readonly Part[];
  /** Why it is asked, where no part says it. */
  readonly reasons: readonly string[];
  /** It is a command line, so that its path through the rules can be shown. */
  readonly isCommand: boolean;
  readonly choices: readonly Choice[];
  /** Wall clock at which it closes by itself. */
  readonly expiresAt: number | undefined;
  /** Milliseconds that were left when the owner last learned that the panel is open. */
  readonly left: number | undefined;
  /** What is filled into a form; undefined: it has no fields. */
  readonly form: Filled | undefined;
  /** Address that a form asks to open. */
  readonly url: string | undefined;
  /** Monotonic time at which it came to be seen. */
  readonly since: number;
}

const KINDS = new Set(["approval", "clarify", "form", "password", "secret"]);
const isKind = (kind: string): kind is Question["kind"] => KINDS.has(kind);

const NOTHING = {
  call: "",
  diff: "",
  cwd: "",
  parts: [],
  reasons: [],
  isCommand: false,
  choices: [],
  left: undefined,
  form: undefined,
  url: undefined,
} as const;

/** The question of an event `*.requested`, or of the list of open ones; undefined for what this screen does not know. */
export function toQuestion(kind: string, data: Data, since: number): Question | undefined {
  const request = text(data["request"]);
  if (!isKind(kind) || request === "") return undefined;
  const expiresAt = typeof data["expires_at"] === "number" ? data["expires_at"] : undefined;
  const common = { ...NOTHING, request, kind, since, expiresAt };
  const by = whoAsks(record(data["origin"]));
  if (kind === "approval") return { ...common, ...approval(data, by) };
  if (kind === "clarify")
    return { ...common, title: `${by} asks`, body: sanitize(text(data["question"])), choices: offered(data) };
  if (kind === "form") {
    const form = formAsked(data, by);
    return form && { ...common, ...form };
  }
  return { ...common, title: `${kind} for ${by}`, body: sanitize(text(data["prompt"])) };
}

/** What a list of questions shows of one. */
export const toSummary = (kind: string, data: Data): string =>
  sanitizeLine(text(data["command"]) || text(data["question"]) || text(data["title"]) || kind).slice(0, 120);

const whoAsks = (origin: Data): string =>
  origin["child"] === undefined ? "this conversation" : "a child of this conversation";

const WANTS: Readonly<Record<string, string>> = {
  command: "run a command",
  write: "write files",
  tool: "use a tool",
  script: "run a script",
  desktop: "use the desktop",
  password: "use a password",
};

const LABELS: Readonly<Record<string, readonly [key: string, label: string]>> = {
  once: ["o", "[o]nce"],
  edits: ["e", "all [e]dits here"],
  session: ["s", "[s]ession"],
  project: ["p", "[p]roject"],
  always: ["a", "[a]lways"],
  deny: ["d", "[d]eny"],
};

/** Answers about the desktop hold for a window, and are never written to a rule file. */
const ON_DESKTOP: Readonly<Record<string, { readonly label: string; readonly effect: string }>> = {
  session: {
    label: "[s]ession",
    effect: "allows this action in this window until the end of this conversation",
  },
  always: {
    label: "[a]ll actions",
    effect: "allows every action in this window until the end of this conversation",
  },
  deny: { label: "[d]eny", effect: "the action is not done" },
};

function approval(
  data: Data,
  by: string,
): Pick<Question, "call" | "title" | "body" | "diff" | "cwd" | "parts" | "reasons" | "isCommand" | "choices"> {
  const parts = list(data["segments"]).map(record).map(toPart);
  const told = new Set(parts.map((part) => part.risk));
  const reasons = list(data["reasons"]).map(record);
  const kind = text(data["kind"]);
  return {
    call: text(data["call_id"]),
    title: `${by} wants to ${WANTS[kind] ?? line(kind)}: ${line(data["tool"])}`,
    body: sanitize(text(data["command"])),
    diff: sanitize(text(data["diff"])),
    cwd: line(data["cwd"]),
    parts,
    reasons: reasons
      .filter((one) => !told.has(line(one["class"])))
      .map((one) => `${line(one["class"])}: ${line(one["text"])}`),
    isCommand: kind === "command",
    choices: approvalChoices(data),
  };
}

const toPart = (one: Data): Part => ({ argv: line(one["argv"]), risk: line(one["class"]), why: line(one["why"]) });

function approvalChoices(data: Data): readonly Choice[] {
  const byWidth: Data = { ...record(data["wider"]), exact: data["rules"] };
  return list(data["options"]).flatMap((option): Choice[] => {
    const answer = text(option);
    const label = LABELS[answer];
    if (label === undefined) return [];
    const rules = RULE_WIDTHS.flatMap((width) => {
      const found = list(record(byWidth[width])[answer]).map(line);
      return found.length === 0 ? [] : [[width, found] as const];
    });
    const own = data["kind"] === "desktop" ? ON_DESKTOP[answer] : undefined;
    const choice = { key: label[0], label: own?.label ?? label[1], answer, rules: Object.fromEntries(rules) };
    return [own === undefined ? choice : { ...choice, effect: own.effect }];
  });
}

const OTHER = "Other (type your answer)";

/** Digits choose; the last one opens a line for any other answer. */
function offered(data: Data): readonly Choice[] {
  const choices = list(data["choices"]).map((choice, at) => ({
    key: String(at + 1),
    label: line(choice),
    answer: text(choice),
    rules: {},
  }));
  return choices.length === 0
    ? []
    : [...choices, { key: String(choices.length + 1), label: OTHER, answer: "", rules: {} }];
}

/** A form with fields, or the consent that one without asks for: Enter without looking declines. */
function formAsked(data: Data, by: string): Pick<Question, "title" | "body" | "form" | "url" | "choices"> | undefined {
  const read = readForm(data);
  if (read === undefined) return undefined;
  const { title, from, message, fields, url } = read;
  const whole =
    title === "" || title.endsWith(" asks") || message.startsWith(title) ? message : `**${title}**\n\n${message}`;
  const shown = { title: `${from} asks ${by}`, body: whole, url };
  if (fields.length > 0) return { ...shown, form: filledWithDefaults(fields), choices: [] };
  const agree = url === undefined ? ["y", "[y]es", "accept"] : ["o", "[o]k, copy the address", "copy"];
  const choices = [agree, ["d", "[d]ecline", "decline"]].map(([key = "", label = "", answer = ""]) => ({
    key,
    label,
    answer,
    rules: {},
  }));
  return { ...shown, form: undefined, choices };
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const line = (value: unknown): string => sanitizeLine(text(value));
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const record = (value: unknown): Data => (typeof value === "object" && value !== null ? { ...value } : {});
