import { join } from "node:path";
import type { Once } from "../../base/async/lazy.js";
import { exists } from "../../base/fs/home-files.js";
import type { Chat } from "../../chat/chat.js";
import type { Checkpoints } from "../../checkpoints/checkpoints.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import type { BoardParts } from "../board/build-board.js";
import { createCopyCheck } from "../stores/board-copies.js";
import { createCuratorUpkeep } from "./curator-upkeep.js";
import { createMediaUpkeep } from "./media-upkeep.js";
import { createSessionUpkeep } from "./session-upkeep.js";

const STOP_MS = 5_000;

/** Upkeep that goes on as long as its owner. */
export interface QuietWork {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** What that work is about. */
interface QuietParts {
  readonly boards: Once<BoardParts>;
  readonly chats: Once<Chat>;
  readonly chat: ChatApi;
  readonly skills: SkillServices;
}

/** What an owner that stays does beside its work, now and then. */
export function quietWork(
  { home, clock, log, config }: AppOptions,
  { boards, chats, chat, skills }: QuietParts,
): QuietWork {
  const copies = createCopyCheck({ home, clock, log, boards: async () => (await boards()).board.slugs() });
  const upkeep = createSessionUpkeep({ chat, config, clock, log });
  const isBusy = async () => ((await chats.peek())?.openTurns() ?? 0) > 0;
  const curator = createCuratorUpkeep({ home, chat, isBusy, skills, config, clock, log: log.child("curator") });
  const media = createMediaUpkeep({ home, clock, config, log });
  return {
    start: async () => {
      await copies.start();
      upkeep.start();
      curator.start();
      media.start();
    },
    stop: async () => {
      await media.stop();
      await curator.stop();
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
    .catch((error: unknown) => log.warning("failed to remove old checkpoints", { error: String(error) }));
}
