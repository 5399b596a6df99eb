import { join } from "node:path";
import type { Home } from "../base/home.js";
import { exists as isThere, namesIn } from "../base/home-files.js";
import type { ProfilesPort } from "../board/deps.js";
import type { WorkerProfile, WorkerProfiles } from "../board/worker-profile.js";
import { readEnvFile } from "./config/read.js";

/** Profiles of a root: `default` is the root itself, the others lie under `profiles/`. */
export interface Profiles extends ProfilesPort, WorkerProfiles {
  names(): readonly string[];
}

export function createProfiles(home: Home, toolsets: () => readonly string[]): Profiles {
  const base = join(home.root, "profiles");
  const dirOf = (name: string) => (name === "default" ? home.root : join(base, name));
  const exists = (name: string) => name === "default" || (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name) && isThere(dirOf(name)));
  return {
    exists,
    toolsets,
    names: () => ["default", ...namesIn(base).filter(exists).toSorted()],
    find: async (name): Promise<WorkerProfile | undefined> => {
      if (!exists(name)) return undefined;
      const dir = dirOf(name);
      return {
        name,
        home: dir,
        env: readEnvFile(join(dir, ".env")),
        toolsets: [],
        hasSkill: (skill) => isThere(join(dir, "skills", skill, "SKILL.md")),
      };
    },
  };
}
