import type { EpochMs } from "../../base/units.js";
import { calculate, renderNumber } from "./arithmetic.js";
import {
  type Show,
  showChoice,
  showContent,
  showCreated,
  showDone,
  showFiles,
  showMatches,
  showPage,
  showPatched,
  showSessions,
  showTasks,
  showTerminal,
  showTodos,
  showWritten,
} from "./show.js";

/** One thing that a request asks for. */
export type OfflineStep =
  | { readonly kind: "say"; readonly text: string }
  | { readonly kind: "help" }
  | { readonly kind: "count"; readonly to: number }
  | {
      readonly kind: "call";
      readonly tool: string;
      readonly args: Readonly<Record<string, unknown>>;
      readonly show: Show;
      /** Changes nothing, so that it may run beside other reads. */
      readonly read: boolean;
      /** What was done, for the summary of a board worker. */
      readonly done: string;
    };

/** What rules may know beside the request. */
export interface RuleContext {
  readonly now: EpochMs;
  /** Text of a to-do item of this conversation. */
  todo(id: string): string | undefined;
}

export interface OfflineRule {
  /** As the list of abilities shows it. */
  readonly form: string;
  readonly patterns: readonly RegExp[];
  /** `undefined`: it looked like this rule and is not. */
  readonly step: (parts: readonly string[], context: RuleContext) => OfflineStep | undefined;
}

/** Core part, 3.8: the largest number that `count to` takes. */
const MAX_COUNT = 20_000;

type Call = Extract<OfflineStep, { kind: "call" }>;

const call = (tool: string, args: Call["args"], show: Show, done: string): OfflineStep => ({
  kind: "call",
  tool,
  args,
  show,
  done,
  read: false,
});
const read = (tool: string, args: Call["args"], show: Show, done: string): OfflineStep => ({
  kind: "call",
  tool,
  args,
  show,
  done,
  read: true,
});
const say = (text: string): OfflineStep => ({ kind: "say", text });

/** Take off one pair of quotes or back-ticks; inside double quotes `\n` and `\t` are written out. */
function unquote(text: string): string {
  const bare = text.trim();
  const inner = /^(["'`])([\s\S]*)\1$/.exec(bare);
  if (!inner) return /^“[\s\S]*”$/.test(bare) ? bare.slice(1, -1) : bare;
  const [, quote, body = ""] = inner;
  return quote === '"' ? body.replace(/\\([nt"\\])/g, (_, c: string) => ({ n: "\n", t: "\t" })[c] ?? c) : body;
}

const inDir = (dir: string | undefined) =>
  dir === undefined || dir === "" ? {} : { path: unquote(dir).replace(/[?]$/, "") };
const FILE = "(?:the )?(?:file )?";
const WITH = "(?: with| containing| that says)(?: the)?(?: text| content| contents)?:?";

/** Core part, 3.8. First match wins; patterns are whole lines, without regard to case. */
export const OFFLINE_RULES: readonly OfflineRule[] = [
  {
    form: "hello, help, what can you do",
    patterns: [/^(?:hello|hi|hey|help|what can you do|what do you understand)(?: there)?[.!? ]*$/i],
    step: () => ({ kind: "help" }),
  },
  {
    form: "list files [in DIR]; find files GLOB",
    patterns: [
      /^(?:please )?(?:list|show)(?: me)?(?: all)?(?: the)? files(?: (?:in|of|under) (.+))?$/i,
      /^(?:ls|dir)(?: ([^-|&;<>\s]+))?$/i,
    ],
    step: ([dir]) =>
      read(
        "search_files",
        { pattern: "*", target: "files", ...inDir(dir) },
        showFiles,
        `listed files${dir ? ` in ${dir}` : ""}`,
      ),
  },
  {
    form: "list files [in DIR]; find files GLOB",
    patterns: [/^find(?: all)?(?: the)? files?(?: (?:named|called|matching|like))? (\S+|"[^"]+")(?: in (.+))?$/i],
    step: ([glob = "", dir]) =>
      read(
        "search_files",
        { pattern: unquote(glob), target: "files", ...inDir(dir) },
        showFiles,
        `looked for ${unquote(glob)}`,
      ),
  },
  {
    form: "add task TITLE [for PROFILE]; list tasks",
    patterns: [/^(?:list|show)(?: me)?(?: all)?(?: the)? tasks$/i],
    step: () => read("kanban_list", {}, showTasks, "listed the tasks"),
  },
  {
    form: "what did we say about X; search sessions X",
    patterns: [/^what did (?:we|i|you) say about (.+?)\??$/i, /^search (?:my |the |all )?sessions(?: for)? (.+)$/i],
    step: ([query = ""]) =>
      read("session_search", { query: unquote(query) }, showSessions, "searched earlier conversations"),
  },
  {
    form: "write FILE: TEXT; create FILE with TEXT; write TEXT to FILE",
    patterns: [
      new RegExp(`^write ${FILE}(\\S+|"[^"]+"): ?([\\s\\S]*)$`, "i"),
      new RegExp(
        `^(?:create|make|write)(?: a| the)?(?: new)?(?: text)? ?${FILE}(?:(?:named|called) )?(\\S+|"[^"]+")${WITH} ([\\s\\S]+)$`,
        "i",
      ),
    ],
    step: ([file = "", text = ""]) => write(file, text),
  },
  {
    form: "write FILE: TEXT; create FILE with TEXT; write TEXT to FILE",
    patterns: [/^(?:write|put|save) (.+) (?:to|into|in) (?:the )?(?:a )?(?:file )?(\S+\.\S+|"[^"]+")$/i],
    step: ([text = "", file = ""]) => write(file, text),
  },
  {
    form: "replace OLD with NEW in FILE",
    patterns: [
      /^replace ("[^"]+"|'[^']+'|`[^`]+`|.+?) (?:with|by) ("[^"]*"|'[^']*'|`[^`]*`|.*) in (?:the )?(?:file )?(\S+|"[^"]+")$/i,
    ],
    step: ([old = "", fresh = "", file = ""]) => {
      const path = unquote(file);
      return call(
        "patch",
        { mode: "replace", path, old_string: unquote(old), new_string: unquote(fresh) },
        showPatched(path),
        `changed ${path}`,
      );
    },
  },
  {
    form: "read FILE; show FILE",
    patterns: [/^(?:read|show|cat|print|display)(?: me)? (?:the )?(?:file |contents? of )?(\S+|"[^"]+"|'[^']+')$/i],
    step: ([file = ""]) => read("read_file", { path: unquote(file) }, showContent, `read ${unquote(file)}`),
  },
  {
    form: "search TEXT [in DIR]; grep TEXT",
    patterns: [/^(?:search|grep)(?: for)? ("[^"]+"|'[^']+'|.+?)(?: in ((?:the )?\S+))?$/i],
    step: ([text = "", dir]) =>
      read(
        "search_files",
        { pattern: unquote(text), target: "content", ...inDir(dir) },
        showMatches,
        `searched for ${unquote(text)}`,
      ),
  },
  {
    form: "run COMMAND; $ COMMAND",
    patterns: [/^(?:run|execute)(?: the)?(?: command)?:? (.+)$/i, /^[$!] ?(.+)$/],
    step: ([command = ""]) =>
      call("terminal", { command: unquoteCommand(command) }, showTerminal, `ran ${unquoteCommand(command)}`),
  },
  {
    form: "remember TEXT; forget TEXT",
    patterns: [/^(remember)(?: that)? (.+)$/i, /^(forget)(?: that| about)? (.+)$/i],
    step: ([verb = "", text = ""]) =>
      /^remember$/i.test(verb)
        ? call("memory", { action: "add", target: "memory", content: unquote(text) }, showDone("Noted."), "noted it")
        : call(
            "memory",
            { action: "remove", target: "memory", old_text: unquote(text) },
            showDone("Forgotten."),
            "forgot it",
          ),
  },
  {
    form: "todo A; B; C; done N; todo",
    patterns: [/^(todo):? (.+)$/i, /^(done):? #?(\d+)$/i],
    step: ([verb = "", text = ""], context) => (/^todo$/i.test(verb) ? newTodos(text) : doneTodo(text, context)),
  },
  {
    form: "todo A; B; C; done N; todo",
    patterns: [/^(?:todo|show todo|list todo)s?$/i],
    step: () => read("todo", {}, showTodos, "read the list"),
  },
  {
    form: "add task TITLE [for PROFILE]; list tasks",
    patterns: [/^(?:add|create)(?: a)? task:? ("[^"]+"|.+?)(?: for @?([a-z0-9][a-z0-9_-]*))?$/i],
    step: ([title = "", profile]) =>
      call("kanban_create", { title: unquote(title), assignee: profile ?? "default" }, showCreated, "added a task"),
  },
  {
    form: "open URL",
    patterns: [/^(?:open|fetch|visit) (https?:\/\/\S+)$/i],
    step: ([url = ""]) => read("web_extract", { urls: [url] }, showPage, `opened ${url}`),
  },
  {
    form: "time; date; ARITHMETIC",
    patterns: [
      /^(?:what(?:'s| is) the )?(?:current )?(time|date)(?: is it| now)?\??$/i,
      /^what (time|day|date) is it(?: now| today)?\??$/i,
    ],
    step: ([which = ""], { now }) => say(/time/i.test(which) ? clockText(now) : dateText(now)),
  },
  {
    form: "count to N",
    patterns: [/^count (?:up )?(?:from 1 )?to ([\d,_]+)[.!]?$/i],
    step: ([digits = ""]) => countTo(Number(digits.replace(/\D/g, ""))),
  },
  {
    form: "ask me CHOICES",
    patterns: [/^ask me:? (.+)$/i],
    step: ([text = ""]) => ask(text),
  },
  {
    form: "time; date; ARITHMETIC",
    patterns: [/^(?:(?:what(?:'s| is)|calculate|compute|how much is) )?([-+−(.\d][-+*/().,\d\s_−–×÷·]*)(?: ?=)?\??$/i],
    step: ([text = ""]) => arithmetic(text),
  },
];

function write(file: string, text: string): OfflineStep {
  const path = unquote(file);
  return call("write_file", { path, content: unquote(text) }, showWritten(path), `wrote ${path}`);
}

/** A command keeps its own quotes; only back-ticks around the whole of it are ours. */
const unquoteCommand = (text: string) => /^`([^`]+)`$/.exec(text.trim())?.[1] ?? text.trim();

function newTodos(text: string): OfflineStep {
  const items = text.split(";").map((item) => unquote(item));
  const todos = items
    .filter((item) => item !== "")
    .map((content, n) => ({ id: String(n + 1), content, status: "pending" }));
  return call("todo", { todos }, showTodos, "wrote a list");
}

function doneTodo(id: string, context: RuleContext): OfflineStep {
  const content = context.todo(id) ?? "(no description)";
  return call("todo", { todos: [{ id, content, status: "completed" }], merge: true }, showTodos, `ticked off ${id}`);
}

function countTo(to: number): OfflineStep {
  if (to > MAX_COUNT) return say(`I count to ${MAX_COUNT} at most.`);
  return { kind: "count", to };
}

function ask(text: string): OfflineStep {
  const choices = text
    .replace(/\?$/, "")
    .split(/\s*(?:,|;|\bor\b)\s*/i)
    .map(unquote)
    .filter((choice) => choice !== "")
    .slice(0, 4);
  return call("clarify", { question: "Which one?", choices }, showChoice, "asked");
}

function arithmetic(text: string): OfflineStep | undefined {
  const value = calculate(text);
  if (value === undefined) return undefined;
  return say(Number.isFinite(value) ? `${text.trim()} = ${renderNumber(value)}` : "That divides by zero.");
}

const clockText = (now: EpochMs) => `It is ${new Date(now).toISOString().slice(11, 19)} UTC.`;
const dateText = (now: EpochMs) => {
  const day = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"][new Date(now).getUTCDay()];
  return `It is ${day}, ${new Date(now).toISOString().slice(0, 10)} (UTC).`;
};

/** The step that `line` asks for, or undefined when no rule understands it. */
export function understand(line: string, context: RuleContext): OfflineStep | undefined {
  const text = line.trim();
  for (const rule of OFFLINE_RULES) {
    for (const pattern of rule.patterns) {
      const match = pattern.exec(text);
      const step = match ? rule.step(match.slice(1), context) : undefined;
      if (step) return step;
    }
  }
  return undefined;
}
