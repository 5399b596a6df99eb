import { readOwner } from "../../storage/lock.js";
import { layOutHome } from "../base/home.js";
import { COMMANDS } from "../commands/index.gen.js";
import type { AppOptions } from "../config/app-options.js";
import type { ProfilesApi } from "../contracts/config/profiles.js";
import type { Models } from "../models/select.js";
import { createProfilesApi } from "../profiles/profiles.js";
import { buildAux } from "../runtime/aux-models.js";

/** The profiles of this root. `changed`: there is another one now. */
export function buildProfiles(
  options: AppOptions,
  models: () => Promise<Models>,
  changed: () => Promise<void>,
): ProfilesApi {
  const { home, clock, ids, spawner } = options;
  const runs = (dir: string) => {
    const owner = readOwner(layOutHome(dir).lock);
    return owner !== undefined && spawner.alive(owner);
  };
  return createProfilesApi({
    root: home.root,
    personHome: options.env["HOME"] ?? "",
    clock,
    ids,
    aux: buildAux(options, models),
    commands: [...new Set(COMMANDS.map((entry) => entry.path.split(" ")[0] ?? ""))],
    ownerRuns: runs,
    onChange: changed,
  });
}
