import { join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { exists } from "../../base/fs/home-files.js";
import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import { CURATOR_ENABLED } from "../../contracts/skills/curator.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import { createRepeatedWork, type Upkeep } from "./repeated.js";

export interface CuratorUpkeepDeps {
  readonly home: Pick<Home, "dir">;
  readonly chat: Pick<ChatApi, "list">;
  /** A turn runs at this moment. */
  readonly isBusy: () => Promise<boolean>;
  readonly skills: Pick<SkillServices, "curator">;
  readonly config: Pick<Config, "get">;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often it is looked whether a run is due. */
const LOOK_MS = 15 * 60_000;

/** Runs of the curator by itself in an owner that stays, while it is idle. */
export function createCuratorUpkeep(deps: CuratorUpkeepDeps): Upkeep {
  const { home, skills, config, clock, log } = deps;
  const runWhenDue = async (signal: AbortSignal): Promise<void> => {
    const run = await (await skills.curator()).runWhenDue(await idleMs(deps), signal);
    if (run !== undefined) log.info("the curator has run", { run: run.id, summary: run.summary });
  };
  return createRepeatedWork({
    clock,
    everyMs: LOOK_MS,
    // Without skills nothing is loaded for it.
    work: (signal) =>
      config.get(CURATOR_ENABLED) && exists(join(home.dir, "skills")) ? runWhenDue(signal) : undefined,
    failed: (error) => log.warning("the curator did not run", { error: toAppError(error).message }),
  });
}

/** Since the last turn of any conversation; undefined: one runs. */
async function idleMs({ chat, isBusy, clock }: CuratorUpkeepDeps): Promise<Ms | undefined> {
  if (await isBusy()) return undefined;
  const [last] = await chat.list({ limit: 1, archived: "both" });
  return last === undefined ? Number.POSITIVE_INFINITY : Math.max(0, clock.now() - last.last_active_at);
}
