import type { Inbound, InboxRow } from "../../contracts/board/platform-tag.js";
import type { NewSend, OutboxRow, SendPayload } from "../../contracts/gateway/outbox.js";
import { eventOf } from "../inbox/batches.js";
import type { Outbox } from "../outbox/outbox.js";
import type { VisibleTexts } from "../outbox/visible-texts.js";
import { bareEdit, bareRow, keysOfTurn } from "./turn-rows.js";

export interface LeftDeps {
  readonly visible: () => VisibleTexts;
  readonly outbox: () => Pick<Outbox, "insert" | "keyed">;
}

/** A turn that an earlier owner began: it was cut off, or only its rows do not know yet that it ended. */
export interface LeftTurn {
  readonly root: string;
  readonly rows: readonly InboxRow[];
  readonly was: "interrupted" | "ended";
}

/**
 * Messages that an earlier owner was writing lose their cursors; what resumes a turn begins another one (gateway part, 11.4). What was noted as
 * visible of a turn that ended is where its answer goes; what was sent and not noted yet stands for itself.
 */
export async function loseCursor({ visible, outbox }: LeftDeps, { root, rows, was }: LeftTurn): Promise<void> {
  const record = await visible().of(root);
  const event = rows.map(eventOf).findLast((one) => one !== undefined);
  if (event === undefined || record?.closed === 1) return;
  const noted = record?.mode === "stream" ? record : undefined;
  const ids: readonly string[] = noted === undefined ? [] : JSON.parse(noted.message_ids);
  const sent = await Promise.all(keysOfTurn(root).map((keys) => outbox().keyed(keys)));
  const later = sent.flat().map(payloadOf);
  await outbox().insert(unnoted(sent.flat(), later, { event, root, ids }));
  if (was === "ended" || noted === undefined) return;
  const messageId = ids.at(-1);
  if (messageId !== undefined && noted.shown !== null && !later.some((one) => one?.messageId === messageId))
    await outbox().insert(bareEdit(event, { turn: root, messageId, text: noted.shown }));
  await visible().note(root, { mode: "final", messageIds: [], prefix: 0 });
}

interface Noted {
  readonly event: Inbound;
  readonly root: string;
  readonly ids: readonly string[];
}

/** First words that were not continued: neither noted nor changed since. */
function unnoted(
  rows: readonly OutboxRow[],
  later: readonly (SendPayload | undefined)[],
  { event, root, ids }: Noted,
): readonly NewSend[] {
  return rows.flatMap((row, at) => {
    const text = later[at]?.unfinished;
    const message = row.platform_message_id;
    if (text === undefined || row.state === "dropped" || row.state === "failed") return [];
    if (message !== null && (ids.includes(message) || later.some((one) => one?.messageId === message))) return [];
    return bareRow(event, { turn: root, row: row.id, text });
  });
}

/** Written by the outbox. */
const payloadOf = ({ payload }: OutboxRow): SendPayload | undefined =>
  payload === null ? undefined : JSON.parse(payload);
