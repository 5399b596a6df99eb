import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { AUTO_PRUNE } from "../../chat/config/session-keys.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import { createRepeatedWork, type Upkeep } from "./repeated.js";

export interface SessionUpkeepDeps {
  readonly chat: Pick<ChatApi, "autoPrune">;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often it is looked whether it is time; the settings say when it is. */
const LOOK_MS = 60 * 60_000;

/** Automatic pruning of an owner that stays: in the background, soon after its start and every hour. */
export function createSessionUpkeep({ chat, config, clock, log }: SessionUpkeepDeps): Upkeep {
  const prune = async (): Promise<void> => {
    const count = await chat.autoPrune();
    if (count > 0) log.info("sessions pruned", { count });
  };
  return createRepeatedWork({
    clock,
    everyMs: LOOK_MS,
    work: () => (config.get(AUTO_PRUNE) ? prune() : undefined), // nothing is loaded for it while it is off
    failed: (error) => log.warning("failed to prune sessions", { error: String(error) }),
  });
}
