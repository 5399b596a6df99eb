import type { ScreenChange } from "../../contracts/chat/slash.js";
import type { CommandResult } from "../define.js";

type PaneName = NonNullable<ScreenChange["pane"]>["name"];

/** The screen goes to a pane, with only what the words let through; without words with everything. */
export function toPane(name: PaneName, words: readonly string[]): CommandResult {
  const filter = words.join(" ");
  const text = filter === "" ? `The ${name}.` : `The ${name}, only: ${filter}`;
  return { text, data: { pane: name, filter }, next: { screen: { pane: { name, filter } } } };
}
