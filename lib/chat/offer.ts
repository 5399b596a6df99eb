import { AppError } from "../base/errors.js";
import type { Config } from "../proto/config.js";
import type { ToolEntry } from "../tools/entry.js";
import { CODING_CONTEXT, TOOLSETS } from "./keys.js";

/** Presets and composite sets (core part, 16.1), as far as their tools are there. `*` is every tool. */
const SETS: Readonly<Record<string, readonly string[]>> = {
  "agent-cli": ["*"],
  debugging: ["terminal", "file", "web"],
  safe: ["web", "vision", "image_gen"],
  coding: ["file", "terminal", "todo", "session_search", "clarify", "delegation", "code_execution", "skills"],
};

/** Toolsets of a session: those that it names, else those of the settings; a session that is held to code work has the tools for code. */
export function wantedToolsets(
  config: Config,
  { named, worker }: { readonly named: readonly string[]; readonly worker: boolean },
): readonly string[] {
  if (named.length > 0) return named;
  return !worker && config.get(CODING_CONTEXT) === "focus" ? ["coding"] : config.get(TOOLSETS);
}

export interface Offer {
  /** Names as the user gave them; empty: the preset. */
  readonly toolsets: readonly string[];
  readonly disabled: readonly string[];
  /** Board tools that this session may see (board part, 17.1). */
  readonly boardTools: ReadonlySet<string>;
}

/**
 * Tools of a session in a stable order, so that every request of it begins with the same bytes.
 *
 * @throws E_USAGE when none of the named toolsets exists.
 */
export function offerTools(entries: readonly ToolEntry[], offer: Offer): readonly ToolEntry[] {
  const known = new Set([...entries.map((entry) => entry.toolset), ...Object.keys(SETS)]);
  const named = offer.toolsets.filter((name) => known.has(name));
  if (offer.toolsets.length > 0 && named.length === 0)
    throw new AppError("E_USAGE", `no such toolset: ${offer.toolsets.join(", ")}; there are ${[...known].toSorted().join(", ")}`);
  const wanted = new Set(named.flatMap((name) => SETS[name] ?? [name]));
  const taken = new Set(offer.disabled.flatMap((name) => SETS[name] ?? [name]));
  return entries
    .filter((entry) => (wanted.has("*") || wanted.has(entry.toolset)) && !taken.has(entry.toolset))
    .filter((entry) => entry.toolset !== "kanban" || offer.boardTools.has(entry.name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
