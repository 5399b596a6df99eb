import { toAppError } from "../../base/errors.js";
import { exists } from "../../base/fs/home-files.js";
import type { Ms } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import { MEDIA_RETENTION_DAYS } from "../../contracts/media/keys.js";
import { createRepeatedWork, type Upkeep } from "./repeated.js";

/** Old files can wait until the owner has started. */
const FIRST_MS: Ms = 60_000;
const EVERY_MS: Ms = 86_400_000;

/** Removes what tools made and no one needs any more, in an owner that stays. */
export function createMediaUpkeep({
  home,
  clock,
  config,
  log,
}: Pick<AppOptions, "home" | "clock" | "config" | "log">): Upkeep {
  const sweep = async (): Promise<void> => {
    const { removeOldMedia } = await import("../../media/sweep.js");
    const removed = await removeOldMedia({ home, clock }, config.get(MEDIA_RETENTION_DAYS));
    if (removed > 0) log.info("removed old media", { files: removed });
  };
  return createRepeatedWork({
    clock,
    firstMs: FIRST_MS,
    everyMs: EVERY_MS,
    work: () => (exists(home.cache) ? sweep() : undefined),
    failed: (error) => log.warning("failed to remove old media", { error: toAppError(error).message }),
  });
}
