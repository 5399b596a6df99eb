import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import { COMPRESSION_HYGIENE } from "../../chat/config/compaction-keys.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";

export interface HygieneDeps {
  readonly chat: ChatApi;
  readonly config: Config;
  readonly log: Log;
}

/** Fewer messages are nothing that could be made smaller. */
const LEAST = 4;

/**
 * Before a turn of a chat: a conversation with very many messages goes on in a smaller one (gateway part, 7.6). One that fills its window is
 * compacted by the turn itself. What fails here is logged; the turn runs with what is there. A turn that is withdrawn no longer waits for it.
 *
 * @returns whether it goes on in another one
 */
export async function compactLargeSession(
  { chat, config, log }: HygieneDeps,
  session: SessionId,
  event: Inbound,
  withdrawn: AbortSignal,
): Promise<boolean> {
  const most = Math.max(LEAST, config.get(COMPRESSION_HYGIENE));
  const record = await chat.get(session);
  if (record === undefined || record.message_count < most) return false;
  const end = () => {
    chat.interrupt(session).catch((error: unknown) => log.warning("compaction continues", { error: String(error) }));
  };
  withdrawn.addEventListener("abort", end, { once: true });
  try {
    if (withdrawn.aborted) return false;
    await chat.compact(session);
    return true;
  } catch (error) {
    if (withdrawn.aborted) return false;
    log.warning("failed to compact a conversation of a chat", {
      platform: event.platform,
      error: toAppError(error).message,
    });
    return false;
  } finally {
    withdrawn.removeEventListener("abort", end);
  }
}
