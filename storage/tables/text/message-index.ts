import type { Row, Tx, Value } from "../../store.js";
import { indexText, SEGMENT_VERSION } from "./word-segments.js";

/** Whether a message has an entry in the search index: copies and the texts of a compaction do not, so that nothing is found twice. */
export const INDEXED = "(copied_from IS NULL AND kind = 'normal')";

/** Take a message out of the search index, by exactly the text that went in. The row has id, content, tool_name and tool_calls. */
export async function unindex(tx: Tx, row: Row): Promise<void> {
  await tx.run("INSERT INTO message_index (message_index, rowid, text) VALUES ('delete', ?, ?)", [
    row["id"] ?? null,
    textOf(row),
  ]);
}

/** Put a message into the search index. */
export async function reindex(tx: Tx, row: Row): Promise<void> {
  await tx.run("INSERT INTO message_index (rowid, text) VALUES (?, ?)", [row["id"] ?? null, textOf(row)]);
}

const textOf = (row: Row): string =>
  indexText(String(row["content"]), asText(row["tool_name"]), asText(row["tool_calls"]));
const asText = (value: Value | undefined): string | null => (typeof value === "string" ? value : null);

/** Messages that are read at once. */
const PORTION = 500;

/** Build the index again after `segment` has changed. */
export async function rebuildIndex(tx: Tx): Promise<void> {
  await tx.run("INSERT INTO message_index (message_index) VALUES ('delete-all')");
  for (let after = 0; ; ) {
    const rows = await tx.all(
      `SELECT id, content, tool_name, tool_calls FROM messages WHERE id > ? AND active = 1 AND ${INDEXED} ORDER BY id LIMIT ?`,
      [after, PORTION],
    );
    for (const row of rows) await reindex(tx, row);
    after = Number(rows.at(-1)?.["id"]);
    if (rows.length < PORTION) break;
  }
  await tx.run("UPDATE _store SET segment_version = ?", [SEGMENT_VERSION]);
}
