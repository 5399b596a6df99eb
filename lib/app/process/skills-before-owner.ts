import type { Home } from "../../base/home.js";
import { randomIds } from "../../base/ids.js";
import { silentLog } from "../../base/log/log.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import { skillsOfHome } from "../../runtime/home-skills.js";

/** The skills of a home as its files say, before this process owns it or knows who does. */
export const skillsBeforeOwner = (
  home: Home,
  env: Readonly<Record<string, string | undefined>>,
): Promise<SkillServices> =>
  skillsOfHome({ home, env, clock: systemClock, ids: randomIds, spawner: systemSpawner, log: silentLog });
