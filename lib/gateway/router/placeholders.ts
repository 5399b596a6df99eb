import { createHash } from "node:crypto";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { EventOrigin, Inbound, InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend, SendPayload, SendTarget } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { eventOf } from "../inbox/batches.js";
import type { VisibleTexts } from "../outbox/visible-texts.js";
import { toSendTarget } from "../targets/event-target.js";
import type { GatewayTurns } from "./dispatch.js";

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
 * Turns of platforms that show a placeholder (gateway part, 6.6): it is there and noted before the turn is worked, and what the turn ends with
 * replaces it. Whoever streams into it notes another mode, and its end is left as it is.
 */
export function withTurnPlaceholders(turns: GatewayTurns, deps: PlaceholderDeps): GatewayTurns {
  /** A failure is worded here, because its words take the place of the placeholder as well. */
  const ended = async (root: string, batch: InboxBatch, { work, signal }: Working): Promise<InboxTurnEnd> => {
    let end: InboxTurnEnd;
    try {
      end = await work();
    } catch (error) {
      if (signal.aborted) throw error;
      const { message } = toAppError(error);
      deps.log.error("a turn failed", { error: message });
      end = turns.failure(root, batch, message);
    }
    return replaced(deps, { root, rows: batch.rows }, end);
  };
  return {
    ...turns,
    run: async (turn, batch, signal) => {
      await show(deps, { turn, batch }, signal);
      return ended(turn, batch, { work: () => turns.run(turn, batch, signal), signal });
    },
    resume: (turn, root, batch, signal) =>
      ended(root, batch, { work: () => turns.resume(turn, root, batch, signal), signal }),
    fate: async (root) => {
      const fate = await turns.fate(root);
      if (fate.was !== "ended") return fate;
      return { ...fate, end: await replaced(deps, { root, rows: await deps.rows(root) }, fate.end) };
    },
  };
}

interface Working {
  readonly work: () => Promise<InboxTurnEnd>;
  readonly signal: AbortSignal;
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
    log.warning("no placeholder is shown", { platform: target.platform, error: toAppError(error).message });
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

/** What becomes of a placeholder when there is no text: it goes where files say it all. */
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
