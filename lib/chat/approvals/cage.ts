import type { Config } from "../../contracts/config/config.js";
import type { Cages } from "../../safety/cage/cages.js";
import { APPROVAL } from "../../safety/config/keys.js";
import type { ScopeDeps } from "./scope.js";

/**
 * The cage of a place as decisions see it; undefined where commands run without one.
 *
 * @param lineage name of the lineage, as its folders in the cache have it
 */
export function cageOfPlaces(cages: Cages | undefined, config: Config, lineage: string): Pick<ScopeDeps, "cage"> {
  if (cages === undefined) return {};
  return {
    cage: async ({ cwd, env }) => {
      if (!(await cages.status()).on) return undefined;
      const { writable } = await cages.plan({ directory: cwd, lineage, env });
      return { eases: config.get(APPROVAL.caged) === "allow", writable };
    },
  };
}
