import { aborted } from "../../base/async/aborted.js";
import type { ToolEntry } from "../core/entry.js";
import type { SourcePlace, ToolSource } from "../core/tool-source.js";
import { BRIDGE_SET } from "../toolsets/sets.js";

/** The tools of a process: those that are built in, and those that come and go between turns. */
export interface ToolRegistry {
  /** Built-in tools first, then those of each source. Asked once before a turn. */
  entries(place?: SourcePlace): readonly ToolEntry[];
  /** Toolsets that sources announce, whether or not they have a tool yet. */
  toolsets(): readonly string[];
  /** The tool that has this name now. */
  find(name: string, place?: SourcePlace): ToolEntry | undefined;
  /** Waits for sources that a new session waits for; undefined: without any. Never rejects. */
  ready(signal: AbortSignal): Promise<void> | undefined;
}

/** Names that every provider accepts. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Warnings that are remembered, so that each is written once. */
const WARNINGS = 1_000;

/**
 * A tool of a source whose name is taken is left out with a warning, unless it says that it overrides; so is one whose name no provider accepts, and
 * one that claims the toolset of `tool_search`.
 */
export function createToolRegistry(
  builtIns: readonly ToolEntry[],
  sources: readonly ToolSource[],
  warn: (text: string) => void = () => undefined,
): ToolRegistry {
  const warned = new Set<string>();
  const warnOnce = (text: string) => {
    if (warned.has(text)) return;
    if (warned.size >= WARNINGS) warned.clear();
    warned.add(text);
    warn(text);
  };
  const entries = (place: SourcePlace = {}): readonly ToolEntry[] => {
    if (sources.length === 0) return builtIns;
    const tools = new Map(builtIns.map((entry) => [entry.name, entry]));
    for (const entry of sources.flatMap((source) => entriesOf(source, place, warnOnce))) {
      const why = refusal(entry, tools.get(entry.name));
      if (why === undefined) tools.set(entry.name, entry);
      else warnOnce(`tool ${entry.name} of ${originText(entry)} is left out: ${why}`);
    }
    return [...tools.values()];
  };
  return {
    entries,
    toolsets: () => [...new Set(sources.flatMap((source) => source.toolsets?.() ?? []))],
    find: (name, place) => entries(place).find((entry) => entry.name === name),
    ready: (signal) => {
      const waits = sources.flatMap((source) =>
        source.ready === undefined ? [] : [readyOf(source, signal, warnOnce)],
      );
      if (waits.length === 0) return undefined;
      return Promise.race([Promise.all(waits).then(() => undefined), aborted(signal)]);
    },
  };
}

function refusal(entry: ToolEntry, taken: ToolEntry | undefined): string | undefined {
  if (!TOOL_NAME.test(entry.name)) return "a name has 1 to 64 letters, digits, _ and -";
  if (entry.toolset === BRIDGE_SET) return `toolset ${BRIDGE_SET} is reserved`;
  if (taken === undefined || entry.overrides === true) return undefined;
  return `the name is taken by ${originText(taken)}`;
}

/** A source that fails has no tools: the turn begins without them. */
function entriesOf(source: ToolSource, place: SourcePlace, warn: (text: string) => void): readonly ToolEntry[] {
  try {
    return source.entries(place);
  } catch (error) {
    warn(`failed to list tools at run time: ${String(error)}`);
    return [];
  }
}

async function readyOf(source: ToolSource, signal: AbortSignal, warn: (text: string) => void): Promise<void> {
  try {
    await source.ready?.(signal);
  } catch (error) {
    warn(`failed to prepare tools at run time: ${String(error)}`);
  }
}

const originText = ({ origin }: ToolEntry): string =>
  origin === undefined ? "the program" : `${origin.kind === "mcp" ? "MCP server" : "plugin"} ${origin.name}`;
