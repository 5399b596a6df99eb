import { alone } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { getValue, setValue } from "../../../storage/tables/state/state-values.js";
import type { InboxBatch, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend } from "../../contracts/gateway/outbox.js";
import type { GatewayTurns } from "../router/dispatch.js";
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
  "🏠 No home channel is set here yet. /sethome makes this chat the one that scheduled jobs and notices go to.";
/** Messages cost money there, or are few: it is the last line of the answer. */
const INSIDE: ReadonlySet<string> = new Set(["msgl", "msgx"]);

/** Turns whose first answer on a platform without a home channel says so, once in the life of a home (gateway part, 13.1). */
export function withHomeHint(turns: GatewayTurns, deps: HomeHintDeps): GatewayTurns {
  return { ...turns, run: async (turn, batch, signal) => hinted(deps, batch, await turns.run(turn, batch, signal)) };
}

async function hinted(
  { store, source, now }: HomeHintDeps,
  batch: InboxBatch,
  end: InboxTurnEnd,
): Promise<InboxTurnEnd> {
  const event = lastOf(batch);
  const tag = event && toPlatformTag(event.platform);
  if (event === undefined || tag === undefined || end.state !== "answered" || end.sends.length === 0) return end;
  const key = `gateway.home-hint.${tag}`;
  if (homeOf(tag, source) !== undefined || (await getValue(alone(store), key)) !== undefined) return end;
  const at = now();
  await store.write("gateway.hint", (tx) => setValue(tx, key, "1", at));
  const inside = INSIDE.has(tag) ? appended(tag, end.sends) : undefined;
  return { ...end, sends: inside ?? [...end.sends, ...sendsOf(event, HINT, { kind: "notice", format: "plain", key })] };
}

/** Undefined: it does not fit under the last text. */
function appended(tag: PlatformTag, sends: readonly NewSend[]): readonly NewSend[] | undefined {
  const at = sends.findLastIndex(({ payload }) => payload.file === undefined);
  const last = sends[at];
  const payload = last && appendLine(tag, last.payload, HINT, "behind");
  return last && payload && sends.with(at, { ...last, payload });
}
