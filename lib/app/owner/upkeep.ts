import { join } from "node:path";
import type { Once } from "../../base/async/lazy.js";
import { exists } from "../../base/fs/home-files.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { BoardParts } from "../board/build-board.js";
import { createCopyCheck } from "../stores/board-copies.js";
import { createSessionUpkeep } from "./session-upkeep.js";

const STOP_MS = 5_000;

/** Upkeep that goes on as long as its owner. */
export interface QuietWork {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What an owner that stays does beside its work, now and then. */
export function quietWork(
  { home, clock, log, config }: AppOptions,
  boards: Once<BoardParts>,
  chat: ChatApi,
): QuietWork {
  const copies = createCopyCheck({ home, clock, log, boards: async () => (await boards()).board.slugs() });
  const upkeep = createSessionUpkeep({ chat, config, clock, log });
  return {
    start: async () => {
      await copies.start();
      upkeep.start();
    },
    stop: async () => {
      await upkeep.stop();
      await copies.stop(STOP_MS);
    },
  };
}

/** In the background, and only where there are any. */
export async function clearOldCheckpoints({ home, log }: AppOptions, kept: Once<Checkpoints>): Promise<void> {
  if (!exists(join(home.dir, "checkpoints", "store"))) return;
  const checkpoints = await kept();
  checkpoints
    .autoPrune()
    .catch((error: unknown) => log.warning("old checkpoints were not removed", { error: String(error) }));
}
