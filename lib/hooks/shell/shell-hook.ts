import { isRecord } from "../../base/json/record.js";
import { type HookName, isHookName } from "../../contracts/hooks/hooks.js";

/** A program of the user that is called at a hook point (extensions part, 5.3). */
export interface ShellHook {
  readonly event: HookName;
  /** As the settings spell it. */
  readonly command: string;
  readonly words: readonly string[];
  /** Tools that it is called for; absent: all. */
  readonly matcher?: RegExp;
  readonly matcherText: string | null;
  readonly timeoutSeconds: number;
  readonly failOpen: boolean;
}

export interface ShellHookSettings {
  readonly hooks: readonly ShellHook[];
  /** What is wrong with entries, a sentence each. They do not run. */
  readonly problems: readonly string[];
  /** A policy entry cannot be read: no call may pass until it is mended. */
  readonly brokenPolicy?: string;
}

const TIMEOUT_SECONDS = 60;
const MAX_TIMEOUT_SECONDS = 3_600;
const MATCHED: ReadonlySet<string> = new Set(["pre_tool_call", "post_tool_call"]);
const POLICY: ReadonlySet<string> = new Set(["pre_tool_call", "pre_gateway_dispatch"]);
const FIELDS: ReadonlySet<string> = new Set(["command", "matcher", "timeout", "fail_open"]);

/** Read the setting `hooks`: a map of events to lists of entries. */
export function readShellHooks(value: unknown, userHome: string): ShellHookSettings {
  if (value === undefined || value === null) return { hooks: [], problems: [] };
  if (!isRecord(value))
    return { hooks: [], problems: ["hooks must be a map of events, e.g. hooks: {pre_tool_call: [...]}"] };
  const hooks: ShellHook[] = [];
  const problems: string[] = [];
  let brokenPolicy: string | undefined;
  for (const [event, entries] of Object.entries(value)) {
    if (!isHookName(event)) {
      problems.push(`hooks.${event}: unknown event (agent help hooks lists them)`);
      continue;
    }
    for (const [at, entry] of (Array.isArray(entries) ? entries : [entries]).entries()) {
      const read = readEntry(event, entry, userHome);
      if (typeof read !== "string") hooks.push(read);
      else {
        const problem = `hooks.${event}[${at}]: ${read}`;
        problems.push(problem);
        if (POLICY.has(event)) brokenPolicy ??= problem;
      }
    }
  }
  return { hooks, problems, ...(brokenPolicy === undefined ? {} : { brokenPolicy }) };
}

/** @returns the hook, or what is wrong with its entry */
function readEntry(event: HookName, entry: unknown, userHome: string): ShellHook | string {
  if (!isRecord(entry)) return "must be {command, matcher?, timeout?, fail_open?}";
  const unknown = Object.keys(entry).find((key) => !FIELDS.has(key));
  if (unknown !== undefined) return `unknown field '${unknown}' (known: ${[...FIELDS].join(", ")})`;
  const { command, matcher, timeout = TIMEOUT_SECONDS, fail_open: failOpen = false } = entry;
  if (typeof command !== "string" || command.trim() === "") return "command is missing";
  const words = splitCommand(command);
  if (words === undefined) return `a quote in '${command}' is not closed`;
  if (typeof timeout !== "number" || !(timeout > 0) || timeout > MAX_TIMEOUT_SECONDS)
    return `timeout must be a number of seconds, at most ${MAX_TIMEOUT_SECONDS}`;
  if (typeof failOpen !== "boolean") return "fail_open must be true or false";
  const pattern = readMatcher(event, matcher);
  if (typeof pattern === "string") return pattern;
  return {
    event,
    command: command.trim(),
    words: words.map((word) => expandHome(word, userHome)),
    ...(pattern === undefined ? {} : { matcher: pattern }),
    matcherText: typeof matcher === "string" ? matcher : null,
    timeoutSeconds: timeout,
    failOpen,
  };
}

function readMatcher(event: HookName, matcher: unknown): RegExp | string | undefined {
  if (matcher === undefined || matcher === null || matcher === "") return undefined;
  if (typeof matcher !== "string") return "matcher must be a regular expression";
  if (!MATCHED.has(event)) return `matcher applies only to ${[...MATCHED].join(" and ")}`;
  try {
    return new RegExp(`^(?:${matcher})$`, "u");
  } catch (error) {
    return `matcher is not a regular expression: ${error instanceof Error ? error.message : ""}`;
  }
}

const expandHome = (word: string, userHome: string): string =>
  word === "~" || word.startsWith("~/") ? `${userHome}${word.slice(1)}` : word;

/** Words of a command as a shell would split it, with quotes and backslashes; nothing is expanded. Undefined: a quote stays open. */
function splitCommand(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (quote === "'" ? char === "'" : quote === '"' && char === '"') quote = "";
    else if (quote === "" && (char === "'" || char === '"')) {
      quote = char;
      word ??= "";
    } else if (char === "\\" && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word = `${word ?? ""}${line.charAt(at)}`;
    } else if (quote === "" && /\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = `${word ?? ""}${char}`;
  }
  if (quote !== "") return undefined;
  return word === undefined ? words : [...words, word];
}
