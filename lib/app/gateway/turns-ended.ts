import type { Once } from "../../base/async/lazy.js";
import type { Ms } from "../../base/units.js";
import type { Chat } from "../../chat/chat.js";
import type { AppOptions } from "../../config/app-options.js";

const LOOK_MS: Ms = 50;

interface Working {
  readonly chats: Once<Chat>;
  readonly options: Pick<AppOptions, "clock">;
}

/** Wait until no conversation works on a turn, for at most this time. Nothing is ended. */
export async function turnsEnded({ chats, options }: Working, limit: Ms, hurry?: AbortSignal): Promise<void> {
  const { clock } = options;
  const until = clock.mono() + limit;
  while (((await chats.peek())?.openTurns() ?? 0) > 0 && clock.mono() < until && hurry?.aborted !== true)
    await clock.sleep(LOOK_MS);
}
