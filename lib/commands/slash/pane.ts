import type { FilteredPane } from "../../contracts/ui/panes.gen.js";
import type { CommandResult } from "../define.js";

/** The screen goes to a pane, with only what the words let through; without words with everything. */
export function toPane(name: FilteredPane, words: readonly string[]): CommandResult {
  const filter = words.join(" ");
  const text = filter === "" ? `The ${name}.` : `The ${name}, filtered: ${filter}`;
  return { text, data: { pane: name, filter }, next: { screen: { pane: { name, filter } } } };
}
