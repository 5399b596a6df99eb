import { join } from "node:path";
import { exists as isThere } from "../../base/fs/home-files.js";
import { readTextSync } from "../../base/fs/text-file.js";
import type { Home } from "../../base/home.js";
import type { ProfilesPort } from "../../board/core/deps.js";
import type { RosterEntry } from "../../board/core/port.js";
import type { WorkerProfile, WorkerProfiles } from "../../board/worker-process/worker-profile.js";
import { readEnvFile } from "../../config/read-settings.js";
import { readDescription } from "../../profiles/description.js";
import { profilePlaces } from "../../profiles/places.js";

/** Profiles of a root as the board looks at them. */
export interface Profiles extends ProfilesPort, WorkerProfiles {
  names(): readonly string[];
  /** With what profile.yaml says about them. */
  roster(): Promise<readonly RosterEntry[]>;
}

export function createProfiles(home: Home, toolsets: () => readonly string[]): Profiles {
  const { names, exists, dirOf } = profilePlaces(home.root);
  const hasSkill = (profile: string, skill: string) => isThere(join(dirOf(profile), "skills", skill, "SKILL.md"));
  // The first bytes of two small files: the YAML library is not loaded for them.
  const hasModel = (profile: string) => {
    const settings = readTextSync(join(dirOf(profile), "config.yaml")) ?? "";
    if (/^["']?(?:model|providers)["']?\s*:\s*\S?/m.test(settings)) return true;
    return Object.keys(readEnvFile(join(dirOf(profile), ".env"))).some((name) => name.endsWith("_API_KEY"));
  };
  return {
    exists,
    hasSkill,
    lacksModel: (profile) => profile !== "default" && exists(profile) && !hasModel(profile) && hasModel("default"),
    toolsets,
    names,
    roster: async () => {
      const entries: RosterEntry[] = [];
      for (const name of names()) entries.push({ name, description: (await readDescription(dirOf(name))).description });
      return entries;
    },
    find: async (name): Promise<WorkerProfile | undefined> => {
      if (!exists(name)) return undefined;
      const dir = dirOf(name);
      return {
        name,
        home: dir,
        env: readEnvFile(join(dir, ".env")),
        toolsets: [],
        hasSkill: (skill) => hasSkill(name, skill),
      };
    },
  };
}
