import { eventOf } from "../../../gateway/batches.js";
import type { Outbox } from "../../../gateway/outbox.js";
import type { VisibleTexts } from "../../../gateway/visible.js";
import type { InboxRow } from "../../../proto/gateway.js";
import { bareEdit } from "./speaker.js";

export interface LeftDeps {
  readonly visible: () => VisibleTexts;
  readonly outbox: () => Pick<Outbox, "insert">;
}

/** The message that an earlier owner was writing loses its cursor; what resumes the turn begins another one (gateway part, 11.4). */
export async function loseCursor({ visible, outbox }: LeftDeps, root: string, rows: readonly InboxRow[]): Promise<void> {
  const record = await visible().of(root);
  if (record?.mode !== "stream" || record.closed === 1) return;
  const ids: readonly string[] = JSON.parse(record.message_ids);
  const messageId = ids.at(-1);
  const event = rows.map(eventOf).findLast((one) => one !== undefined);
  if (messageId !== undefined && event !== undefined && record.shown !== null)
    await outbox().insert(bareEdit(event, { turn: root, messageId, text: record.shown }));
  await visible().note(root, { mode: "final", messageIds: [], prefix: 0 });
}
