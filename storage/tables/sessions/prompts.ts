import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

const MAX_DRAFTS = 200;

/** A text that was sent, under its digest: it then stands there once, as the newest. `most`: entries that are kept. */
export async function addPrompt(
  tx: Tx,
  prompt: { readonly sha256: string; readonly text: string; readonly cwd: string },
  at: EpochMs,
): Promise<void> {
  await tx.run("DELETE FROM prompts WHERE sha256 = ?", [prompt.sha256]);
  await tx.run("INSERT INTO prompts (sha256, text, cwd, at) VALUES (?, ?, ?, ?)", [
    prompt.sha256,
    prompt.text,
    prompt.cwd,
    at,
  ]);
}

/** Forget all but the newest. */
export async function trimPrompts(tx: Tx, most: number): Promise<void> {
  await tx.run(
    "DELETE FROM prompts WHERE n <= coalesce((SELECT n FROM prompts ORDER BY n DESC LIMIT 1 OFFSET ?), -1)",
    [most],
  );
}

/** Those of one directory first, the newest of each first. */
export async function promptsOf(
  q: Query,
  cwd: string,
  page: { readonly most: number; readonly after: number },
): Promise<readonly string[]> {
  const rows = await q.all<{ text: string }>(
    "SELECT text FROM prompts ORDER BY (cwd = ?) DESC, n DESC LIMIT ? OFFSET ?",
    [cwd, page.most, page.after],
  );
  return rows.map(({ text }) => text);
}

export async function draftAt(q: Query, place: string): Promise<string> {
  return (await q.get<{ text: string }>("SELECT text FROM drafts WHERE place = ?", [place]))?.text ?? "";
}

/** Unsent texts of all places that hold these words. */
export async function draftsWith(q: Query, words: string): Promise<readonly string[]> {
  return (await q.all<{ text: string }>("SELECT text FROM drafts WHERE instr(text, ?) > 0", [words])).map(
    ({ text }) => text,
  );
}

/** Unsent text of a place; "" forgets it. The ones that were written longest ago make room. */
export async function setDraft(
  tx: Tx,
  draft: { readonly place: string; readonly text: string },
  at: EpochMs,
): Promise<void> {
  await tx.run("DELETE FROM drafts WHERE place = ?", [draft.place]);
  if (draft.text === "") return;
  await tx.run("INSERT INTO drafts (place, text, at) VALUES (?, ?, ?)", [draft.place, draft.text, at]);
  await tx.run("DELETE FROM drafts WHERE place NOT IN (SELECT place FROM drafts ORDER BY at DESC, place LIMIT ?)", [
    MAX_DRAFTS,
  ]);
}
