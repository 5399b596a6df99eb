import { isRecord } from "../../base/json/record.js";
import { DESKTOP_ACTIONS } from "../../contracts/desktop/actions.js";
import { glob } from "../paths/glob.js";
import { parseShell } from "../shell/parse.js";
import { toCall } from "../writes/operands.js";
import { looksLikeData } from "./text.js";

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
  /** Hash of the tool that it is about; the same name with another schema is another tool. */
  readonly schema?: string;
}

export type Rule = CommandRule | NameRule;

const NAMED = /^(write|read|fetch|tool|skill|desktop):(\S.*)$/s;
/** A kind that is none: no program is called so. */
const MISNAMED = /^([a-z]{2,}):\S/;

const KINDS = /^(write|read|fetch|skill|desktop)$/;

/** A rule, or what is wrong with the entry. */
export function parseRuleEntry(entry: RuleEntry): Rule | string {
  const { value } = entry;
  if (typeof value === "string") return parseText(value.trim());
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return "a rule is a text or a map, not a list or another value";
  const fields = new Map(Object.entries(value));
  const line = fields.get("line");
  const cage = cageOf(entry, fields);
  if (cage === "wrong")
    return "cage: off is all that a rule says of the cage, and only rules that allow commands say it";
  const tool = fields.get("tool");
  const unknown = unknownField(fields);
  if (unknown !== undefined) return unknown;
  if (typeof line === "string") {
    const others = [...fields.keys()].filter((key) => key !== "line" && key !== "cage");
    return others.length === 0
      ? withCage(wholeLine(line.trim()), cage)
      : "a rule with line has no other field beside cage";
  }
  const command = fields.get("command");
  if (typeof command === "string") return withCage(parseMap(command.trim(), fields), cage);
  const args = fields.get("args");
  if (typeof tool !== "string") return missingField(fields);
  const other = [...fields.keys()].find((key) => key !== "tool" && key !== "args" && key !== "schema");
  if (other !== undefined) return `a tool rule has tool, args and schema, not ${other}`;
  if (args !== undefined && args !== null && !isRecord(args)) return "args is not a map";
  const schema = fields.get("schema") ?? undefined;
  if (schema !== undefined && (typeof schema !== "string" || entry.list !== "allow"))
    return "schema is the hash of a tool, as a text, and only rules that allow have it";
  return {
    kind: "tool",
    text: `tool:${tool}`,
    pattern: tool,
    ...(isRecord(args) ? { args } : {}),
    ...(schema === undefined ? {} : { schema }),
  };
}

const FIELDS = ["command", "flags", "paths", "inline", "line", "tool", "args", "schema", "cage"];

function unknownField(fields: ReadonlyMap<string, unknown>): string | undefined {
  const unknown = [...fields.keys()].filter((key) => !FIELDS.includes(key));
  const [first] = unknown;
  if (first === undefined) return undefined;
  if (KINDS.test(first))
    return `${first}: stands directly before its pattern, as in "${first}:${String(fields.get(first))}"`;
  const names = `unknown field${unknown.length === 1 ? "" : "s"} ${unknown.join(", ")}`;
  return `${names}; a rule has command (with flags, paths, inline), line or tool (with args, schema), and cage`;
}

function missingField(fields: ReadonlyMap<string, unknown>): string {
  const wrong = ["command", "line", "tool"].find((key) => fields.has(key));
  if (wrong !== undefined) return `${wrong} is not a text`;
  const all = [...fields.keys()].filter((key) => key !== "cage");
  const [first] = all;
  if (first === "schema") return "schema needs tool: {tool: NAME, schema: HASH}";
  if (first === "args") return "args needs tool: {tool: NAME, args: {…}}";
  if (first === undefined) return "a rule needs command, line or tool";
  const needing = `${all.join(" and ")} ${all.length === 1 && first !== "flags" && first !== "paths" ? "needs" : "need"}`;
  return `${needing} command: {command: PROGRAM, ${first}: …}; "*" is every program`;
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
  if (looksLikeData(text))
    return `${text} is not a rule: a text names a command, or write:, read:, fetch: or tool: directly before a pattern`;
  const named = NAMED.exec(text);
  if (named !== null) {
    const [, kind = "", pattern = ""] = named;
    const wrong = kind === "desktop" ? wrongAction(pattern) : undefined;
    if (wrong !== undefined) return wrong;
    return { kind: kind as NameRule["kind"], text, pattern }; // the pattern names exactly these kinds
  }
  const [, misnamed] = MISNAMED.exec(text) ?? [];
  if (misnamed !== undefined)
    return `unknown kind ${misnamed}: use write, read, tool, fetch, skill or desktop, or {command: "${text}"} for a program of this name`;
  return commandRule(text, undefined, undefined, false);
}

/** `desktop:ACTION` or `desktop:ACTION@PROGRAM`: a rule about no action would never count. */
function wrongAction(pattern: string): string | undefined {
  const action = pattern.split("@", 1)[0] ?? "";
  return DESKTOP_ACTIONS.some((one) => glob(action, true).word(one))
    ? undefined
    : `unknown action ${action} in desktop:${pattern} (known: ${DESKTOP_ACTIONS.join(", ")}); a program follows behind @, as in desktop:click@xterm`;
}

function parseMap(command: string, fields: ReadonlyMap<string, unknown>): CommandRule | string {
  const other = [...fields.keys()].find((key) => !["command", "flags", "paths", "inline", "cage"].includes(key));
  if (other !== undefined) return `a command rule has command, flags, paths, inline and cage, not ${other}`;
  const inline = fields.get("inline");
  if (inline !== undefined && inline !== null && typeof inline !== "boolean") return "inline is true or false";
  const flags = texts(fields.get("flags"));
  const paths = texts(fields.get("paths"));
  if (flags === "wrong" || paths === "wrong") return "flags and paths are lists of texts";
  return commandRule(command, flags, paths, inline === true);
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
