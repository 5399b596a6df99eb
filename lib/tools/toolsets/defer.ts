import type { Config } from "../../contracts/config/config.js";
import type { ToolEntry } from "../core/entry.js";
import { TOOL_SEARCH } from "../core/keys.js";
import { BRIDGE_SET } from "./sets.js";

/** Tools as they are sent, and those that stand behind `tool_search`. */
export interface Deferral {
  readonly tools: readonly ToolEntry[];
  /** Empty: every tool is sent. */
  readonly deferred: readonly ToolEntry[];
}

const BOARD_SET = "kanban";

/** A window below this many tokens gets core tools only; core part, 16.2. */
const SMALL_WINDOW = 64_000;

interface Given {
  readonly window: number;
  readonly config: Config;
  /** The tools of the board are what the conversation is for: it works a task, or was asked for them by name. */
  readonly board?: boolean;
}

/**
 * Replace the tools that are not core by the three that find, describe and call them, when their schemas take more of the window than the
 * setting allows. `all` are the entries of the registry, among them those three; `window` is in tokens.
 */
export function defer(tools: readonly ToolEntry[], all: readonly ToolEntry[], given: Given): Deferral {
  const deferred = deferredOf(tools, given);
  if (deferred.length === 0) return { tools, deferred };
  const behind = new Set(deferred);
  const bridge = all.filter((entry) => entry.toolset === BRIDGE_SET).map((entry) => withSets(entry, deferred));
  return {
    tools: [...tools.filter((entry) => !behind.has(entry)), ...bridge].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    deferred,
  };
}

/** Tokens that the schemas of servers and plugins may take together: a person adds one after the other and does not see what it costs. */
const RUNTIME_TOKENS = 1_500;

function deferredOf(tools: readonly ToolEntry[], given: Given): readonly ToolEntry[] {
  const more = tools.filter((entry) => entry.core === false && !(given.board === true && entry.toolset === BOARD_SET));
  if (more.length === 0 || given.config.get(TOOL_SEARCH.enabled) === "false") return [];
  if (tooLarge(more, given)) return more;
  if (given.config.get(TOOL_SEARCH.enabled) === "auto" && tooMany(tools)) return more;
  const atRunTime = more.filter((entry) => entry.origin !== undefined);
  return tokensOf(atRunTime) > RUNTIME_TOKENS ? atRunTime : [];
}

/** What is sent without a search: schemas, and their characters (core part, 16.2). */
const DIRECT = { schemas: 20, chars: 24_000 };

function tooMany(tools: readonly ToolEntry[]): boolean {
  const own = tools.filter((entry) => entry.origin === undefined);
  return own.length > DIRECT.schemas || own.reduce((sum, entry) => sum + charsOf(entry), 0) > DIRECT.chars;
}

/** A model looks for what it knows to be there. */
function withSets(entry: ToolEntry, deferred: readonly ToolEntry[]): ToolEntry {
  if (entry.name !== "tool_search") return entry;
  const sets = [...new Set(deferred.map(({ toolset }) => toolset))];
  const listed = sets.toSorted().join(", ");
  const most = DESCRIPTION - entry.description.length - 20;
  const named = listed.length <= most ? listed : `${listed.slice(0, listed.lastIndexOf(", ", most))}, ...`;
  return { ...entry, description: `${entry.description} Toolsets: ${named}.` };
}

/** Characters of a description. */
const DESCRIPTION = 600;

function tooLarge(deferred: readonly ToolEntry[], { window, config }: Given): boolean {
  const enabled = config.get(TOOL_SEARCH.enabled);
  if (enabled !== "auto") return enabled === "true";
  if (window < SMALL_WINDOW) return true;
  return tokensOf(deferred) > (window * config.get(TOOL_SEARCH.thresholdPct)) / 100;
}

const tokensOf = (entries: readonly ToolEntry[]): number => entries.reduce((sum, entry) => sum + charsOf(entry), 0) / 4;

/** An entry stays the same object while its tool does. */
const measured = new WeakMap<ToolEntry, number>();

function charsOf(entry: ToolEntry): number {
  const known = measured.get(entry);
  if (known !== undefined) return known;
  const { name, description, schema } = entry;
  const chars = JSON.stringify({ name, description, schema }).length;
  measured.set(entry, chars);
  return chars;
}
