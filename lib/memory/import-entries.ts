import { AppError } from "../base/errors.js";
import type { MemoryBrought, MemoryEntry, MemoryTarget } from "../contracts/memory/memory.js";
import { strictScan } from "../safety/redact/injection.js";
import { memoryFileIn } from "./book.js";
import type { ChangeDeps } from "./change.js";
import { folded, hasSeparator, sizeOf, tidyEntry } from "./entry-text.js";
import type { ChangeTarget } from "./make-change.js";

/**
 * Add entries of elsewhere behind those that are there: what does not fit, or gives instructions to a model, is given back. The caller holds the
 * lock, unless the import is dry.
 *
 * @throws E_STATE when the file was edited into another form
 */
export function importEntries(
  target: MemoryTarget,
  texts: readonly string[],
  { store, rules }: ChangeTarget,
  dry: boolean,
): MemoryBrought {
  const book = store.read();
  const file = memoryFileIn(book, { target, kind: "home", of: "" }, rules.homeDir);
  if (file.damaged !== undefined)
    throw new AppError("E_STATE", `${file.path}: ${file.damaged.why}`, { hint: "agent memory accept" });
  const entries = [...file.entries];
  const left: string[] = [];
  const refused: string[] = [];
  for (const text of texts.map(tidyEntry)) {
    if (text === "" || entries.some((one) => folded(one.text) === folded(text))) continue;
    const next = [...entries.map((one) => one.text), text];
    if (strictScan(text).length > 0) refused.push(text);
    else if (hasSeparator(text) || sizeOf(next) > rules.limitOf(target)) left.push(text);
    else entries.push(importedEntry(text, target, rules));
  }
  const added = entries.length - file.entries.length;
  if (added > 0 && !dry) store.write(book, { files: [{ file, entries }] });
  return { added, left, refused };
}

const importedEntry = (
  text: string,
  target: MemoryTarget,
  { newId, now }: Pick<ChangeDeps, "newId" | "now">,
): MemoryEntry => ({
  id: newId(),
  target,
  scope: "user",
  of: "",
  text,
  source: { kind: "import" },
  created_at: now(),
  used_at: null,
  expires_at: null,
  confidence: 1,
  untrusted: false,
});
