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

/** A window below this many tokens gets core tools only; core part, 16.2. */
const SMALL_WINDOW = 64_000;

/**
 * Replace the tools that are not core by the three that find, describe and call them, when their schemas take more of the window than the
 * setting allows. `all` are the entries of the registry, among them those three; `window` is in tokens.
 */
export function defer(
  tools: readonly ToolEntry[],
  all: readonly ToolEntry[],
  given: { window: number; config: Config },
): Deferral {
  const deferred = tools.filter((entry) => entry.core === false);
  if (deferred.length === 0 || !tooLarge(deferred, given)) return { tools, deferred: [] };
  const bridge = all.filter((entry) => entry.toolset === BRIDGE_SET);
  return {
    tools: [...tools.filter((entry) => entry.core !== false), ...bridge].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    deferred,
  };
}

function tooLarge(deferred: readonly ToolEntry[], { window, config }: { window: number; config: Config }): boolean {
  const enabled = config.get(TOOL_SEARCH.enabled);
  if (enabled !== "auto") return enabled === "true";
  if (window < SMALL_WINDOW) return true;
  const chars = deferred.reduce(
    (sum, { name, description, schema }) => sum + JSON.stringify({ name, description, schema }).length,
    0,
  );
  return chars / 4 > (window * config.get(TOOL_SEARCH.thresholdPct)) / 100;
}
