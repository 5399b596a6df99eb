import { isRecord } from "../../base/json/record.js";
import { parseShell } from "../shell/parse.js";
import { toCall } from "../writes/operands.js";

export type ListName = "allow" | "ask" | "deny";

/** One line of a rule file or of the command line, not yet understood. */
export interface RuleEntry {
  readonly list: ListName;
  readonly value: unknown;
  readonly line?: number;
  /** Place in its list of the file. */
  readonly index?: number;
}

export interface CommandRule {
  readonly kind: "command";
  /** As it was written, for messages and for comparing a whole line. */
  readonly text: string;
  readonly program: string;
  readonly words: readonly string[];
  readonly flags: readonly string[] | undefined;
  readonly paths: readonly string[] | undefined;
  readonly inline: boolean;
  /** No operands beside those named. */
  readonly exact: boolean;
  /** What it allows runs outside the cage. */
  readonly cage?: "off";
  /** The text is more than one plain command: it allows nothing but the same line. */
  readonly whole: boolean;
}

export interface NameRule {
  readonly kind: "write" | "read" | "fetch" | "tool" | "skill" | "desktop";
  readonly text: string;
  readonly pattern: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

export type Rule = CommandRule | NameRule;

const NAMED = /^(write|read|fetch|tool|skill|desktop):(.+)$/s;

const UNUSED = /^(fetch|skill|desktop):/;

/** What a rule says of which no tool here has anything: it is kept and decides nothing. Undefined: it counts. */
export function unusedRule(text: string): string | undefined {
  const kind = UNUSED.exec(text.trim())?.[1];
  return kind === undefined
    ? undefined
    : `no tool of this version asks ${kind}: rules, so that this one decides nothing yet`;
}

/** A rule, or what is wrong with the entry. */
export function parseRuleEntry(entry: RuleEntry): Rule | string {
  const { value } = entry;
  if (typeof value === "string") return parseText(value.trim());
  if (typeof value !== "object" || value === null || Array.isArray(value)) return "a rule is a text or a map";
  const fields = new Map(Object.entries(value));
  const line = fields.get("line");
  const cage = cageOf(entry, fields);
  if (cage === "wrong")
    return "cage: off is all that a rule says of the cage, and only rules that allow commands say it";
  if (typeof line === "string") {
    const others = [...fields.keys()].filter((key) => key !== "line" && key !== "cage");
    return others.length === 0
      ? withCage(wholeLine(line.trim()), cage)
      : "a rule with line has no other field beside cage";
  }
  const command = fields.get("command");
  if (typeof command === "string") return withCage(parseMap(command.trim(), fields), cage);
  const tool = fields.get("tool");
  const args = fields.get("args");
  if (typeof tool !== "string") return "a rule needs a command, a line or a tool";
  return { kind: "tool", text: `tool:${tool}`, pattern: tool, ...(isRecord(args) ? { args } : {}) };
}

/** YAML reads `off` as a text or as false, by its version. */
function cageOf({ list }: RuleEntry, fields: ReadonlyMap<string, unknown>): "off" | "wrong" | undefined {
  const cage = fields.get("cage");
  if (cage === undefined || cage === null) return undefined;
  return (cage === "off" || cage === false) && list === "allow" && !fields.has("tool") ? "off" : "wrong";
}

const withCage = (rule: CommandRule | string, cage: "off" | undefined): CommandRule | string =>
  cage === undefined || typeof rule === "string" ? rule : { ...rule, cage };

/** One command line as it is, whatever stands in it. */
function wholeLine(text: string): CommandRule | string {
  if (text === "") return "an empty rule";
  const nothing = { flags: undefined, paths: undefined, inline: false, exact: true, words: [], program: "" };
  return { kind: "command", text, whole: true, ...nothing };
}

function parseText(text: string): Rule | string {
  if (text === "") return "an empty rule";
  const named = NAMED.exec(text);
  if (named !== null) {
    const [, kind = "", pattern = ""] = named;
    return { kind: kind as NameRule["kind"], text, pattern }; // the pattern names exactly these kinds
  }
  return commandRule(text, undefined, undefined, false);
}

function parseMap(command: string, fields: ReadonlyMap<string, unknown>): CommandRule | string {
  const unknown = [...fields.keys()].find((key) => !["command", "flags", "paths", "inline", "cage"].includes(key));
  if (unknown !== undefined) return `unknown field ${unknown}; a command rule has command, flags, paths, inline, cage`;
  const flags = texts(fields.get("flags"));
  const paths = texts(fields.get("paths"));
  if (flags === "wrong" || paths === "wrong") return "flags and paths are lists of texts";
  return commandRule(command, flags, paths, fields.get("inline") === true);
}

function texts(value: unknown): readonly string[] | undefined | "wrong" {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return [value];
  return Array.isArray(value) && value.every((one) => typeof one === "string" || typeof one === "number")
    ? value.map(String)
    : "wrong";
}

const REMOVERS = /^(rm|unlink|shred|rmdir)$/;

function commandRule(
  text: string,
  flags: readonly string[] | undefined,
  paths: readonly string[] | undefined,
  inline: boolean,
): CommandRule | string {
  const parsed = parseShell(text, { cwd: "/", userHome: "~", agentHome: "~/.agent" });
  const simple = parsed.commands[0];
  if (simple === undefined || simple.words.length === 0) return `not a command: ${text}`;
  const call = toCall(simple);
  const [other] = parsed.commands.slice(1);
  const whole =
    other !== undefined || parsed.findings.length > 0 || simple.redirects.length > 0 || simple.assignments.length > 0;
  const own = call.flags.length > 0 ? call.flags : undefined;
  return {
    kind: "command",
    text,
    program: simple.words[0]?.text ?? "",
    words: call.operands.map((word) => word.text),
    flags: flags ?? own,
    paths,
    inline,
    whole,
    exact: own !== undefined || (REMOVERS.test(call.program) && paths === undefined && call.operands.length > 0),
  };
}
