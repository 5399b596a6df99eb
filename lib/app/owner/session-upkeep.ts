import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { AUTO_PRUNE } from "../../chat/config/session-keys.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";

export interface SessionUpkeepDeps {
  readonly chat: Pick<ChatApi, "autoPrune">;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often it is looked whether it is time; the settings say when it is. */
const LOOK_MS = 60 * 60_000;

/** Automatic pruning of an owner that stays: in the background, soon after its start and every hour. */
export function createSessionUpkeep({ chat, config, clock, log }: SessionUpkeepDeps): {
  start(): void;
  stop(): Promise<void>;
} {
  let cancel: () => void = () => undefined;
  let running: Promise<void> = Promise.resolve();
  const look = () => {
    // Nothing is loaded for it while it is off.
    if (config.get(AUTO_PRUNE))
      running = chat
        .autoPrune()
        .then((count) => (count > 0 ? log.info("sessions were pruned", { count }) : undefined))
        .catch((error: unknown) => log.warning("sessions could not be pruned", { error: String(error) }));
    cancel = clock.after(LOOK_MS, look);
  };
  return {
    start: () => {
      cancel = clock.after(0, look);
    },
    stop: async () => {
      cancel();
      await running;
    },
  };
}
