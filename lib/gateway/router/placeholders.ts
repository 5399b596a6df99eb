import { createHash } from "node:crypto";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { EventOrigin, Inbound, InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend, SendPayload, SendTarget } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { eventOf } from "../inbox/batches.js";
import type { VisibleTexts } from "../outbox/visible-texts.js";
import { toSendTarget } from "../targets/event-target.js";

export interface PlaceholderDeps {
  /** The adapter of a platform while it is connected. */
  readonly platform: (tag: EventOrigin) => Platform | undefined;
  readonly visible: () => Pick<VisibleTexts, "note" | "of">;
  /** Rows that are part of an open turn. */
  readonly rows: (turn: string) => Promise<readonly InboxRow[]>;
  readonly log: Log;
}

const NOTHING = "(no reply)";
const STOPPED = "(interrupted)";

/**
 * Placeholders of platforms that show one (gateway part, 6.6): it is there and noted before the turn is worked, and what the turn ends with
 * replaces it. A stream into it notes another mode, and its end is left as it is.
 */
export interface Placeholders {
  show(turn: string, batch: InboxBatch, signal: AbortSignal): Promise<void>;
  /** The end of a turn in which its first text stands where the placeholder is. @param rows those of the turn; absent: read */
  replace(root: string, end: InboxTurnEnd, rows?: readonly InboxRow[]): Promise<InboxTurnEnd>;
}

export function createPlaceholders(deps: PlaceholderDeps): Placeholders {
  return {
    show: (turn, batch, signal) => show(deps, { turn, batch }, signal),
    replace: async (root, end, rows) => replaced(deps, { root, rows: rows ?? (await deps.rows(root)) }, end),
  };
}

const lastOf = (rows: readonly InboxRow[]): Inbound | undefined =>
  rows.map(eventOf).findLast((event) => event !== undefined);

/** The platform's message is the same however often the first message of the batch is begun with, so a crash leaves no second one. */
async function show(
  { platform, visible, log }: PlaceholderDeps,
  { turn, batch }: { readonly turn: string; readonly batch: InboxBatch },
  signal: AbortSignal,
): Promise<void> {
  const event = lastOf(batch.rows);
  const [first] = batch.rows;
  const target = event === undefined ? undefined : toSendTarget(event);
  if (first === undefined || target === undefined) return;
  const show = platform(target.platform)?.placeholder;
  if (show === undefined) return;
  const shown = await show(target, keyOf(first), signal).catch((error: unknown) => {
    log.warning("failed to show a placeholder", { platform: target.platform, error: toAppError(error).message });
  });
  if (shown?.result !== "sent" || shown.messageId === null) return;
  await visible().note(turn, { mode: "placeholder", messageIds: [shown.messageId], prefix: 0 });
}

/** A UUID that is drawn from the event alone. */
function keyOf({ platform, account, event_id: event }: InboxRow): string {
  const hex = createHash("sha256")
    .update(JSON.stringify(["placeholder", platform, account, event]))
    .digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The end of a turn in which its first text stands where the placeholder is. */
async function replaced(
  { visible }: PlaceholderDeps,
  { root, rows }: { readonly root: string; readonly rows: readonly InboxRow[] },
  end: InboxTurnEnd,
): Promise<InboxTurnEnd> {
  const record = await visible().of(root);
  if (record?.mode !== "placeholder" || record.closed === 1) return end;
  const messageId = firstOf(record.message_ids);
  const event = lastOf(rows);
  const target = event === undefined ? undefined : toSendTarget(event);
  if (messageId === undefined || target === undefined) return end;
  if (end.sends.some(({ payload }) => payload.messageId === messageId)) return end;
  const at = end.sends.findIndex(isText);
  const first = end.sends[at];
  if (first === undefined) return { ...end, sends: [wordless(target, { root, messageId }, end), ...end.sends] };
  const sends = end.sends.map((send, index) =>
    index === at ? { ...first, via: "edit" as const, payload: { ...first.payload, messageId } } : send,
  );
  return { ...end, sends };
}

const isText = ({ via = "send", payload }: NewSend): boolean => via === "send" && payload.file === undefined;

function firstOf(ids: string): string | undefined {
  const read: unknown = JSON.parse(ids);
  const [id] = Array.isArray(read) ? read : [];
  return typeof id === "string" ? id : undefined;
}

/** What happens to a placeholder without a text: it goes where files say it all. */
function wordless(
  target: SendTarget,
  { root, messageId }: { readonly root: string; readonly messageId: string },
  end: InboxTurnEnd,
): NewSend {
  const text = end.reason === "stopped" ? STOPPED : NOTHING;
  const payload: SendPayload = { text, format: "plain", silent: true, messageId };
  const via = end.sends.length > 0 ? "remove" : "edit";
  return {
    kind: "answer",
    target: { ...target, replyTo: null },
    payload,
    via,
    turn: { id: root, seq: 0 },
    sourceKey: `placeholder:${root}`,
  };
}
