import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { getValue, setValue } from "../../../storage/tables/state/state-values.js";
import type { InboxBatch, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend } from "../../contracts/gateway/outbox.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { SettingsSource } from "../settings/platform-settings.js";
import { homeOf } from "../targets/home-channels.js";
import { toPlatformTag } from "../targets/resolve-targets.js";
import { lastOf, sendsOf } from "../text/answer-sends.js";
import { appendLine } from "../text/message-parts.js";

export interface HomeHintDeps {
  readonly store: Store;
  readonly source: SettingsSource;
  readonly now: () => number;
}

const HINT =
  "🏠 No home channel is set for this platform. /sethome makes this chat the target of scheduled jobs and notices.";

/** The first answer on a platform without a home channel says so, once in the life of a home (gateway part, 13.1). */
export async function addHomeHint(
  { store, source, now }: HomeHintDeps,
  batch: InboxBatch,
  end: InboxTurnEnd,
): Promise<InboxTurnEnd> {
  const event = lastOf(batch);
  const tag = event && toPlatformTag(event.platform);
  if (event === undefined || tag === undefined || end.state !== "answered" || end.sends.length === 0) return end;
  const key = `gateway.home-hint.${tag}`;
  if (homeOf(tag, source) !== undefined || (await getValue(autocommit(store), key)) !== undefined) return end;
  const at = now();
  await store.write("gateway.hint", (tx) => setValue(tx, key, "1", at));
  const inside = traitsOf(tag).sparing ? appended(tag, end.sends) : undefined;
  return { ...end, sends: inside ?? [...end.sends, ...sendsOf(event, HINT, { kind: "notice", format: "plain", key })] };
}

/** Undefined: it does not fit under the last text. */
function appended(tag: PlatformTag, sends: readonly NewSend[]): readonly NewSend[] | undefined {
  const at = sends.findLastIndex(({ payload }) => payload.file === undefined);
  const last = sends[at];
  const payload = last && appendLine(tag, last.payload, HINT, "behind");
  return last && payload && sends.with(at, { ...last, payload });
}
