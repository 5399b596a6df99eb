import { join } from "node:path";
import { exists as isThere } from "../../base/fs/home-files.js";
import { readTextSync } from "../../base/fs/text-file.js";
import { type Home, layOutHome } from "../../base/home.js";
import { type Clock, systemClock } from "../../base/time/clock.js";
import type { ProfilesPort } from "../../board/core/deps.js";
import type { RosterEntry } from "../../board/core/port.js";
import type { WorkerProfile, WorkerProfiles } from "../../board/worker-process/worker-profile.js";
import { readEnvFile } from "../../config/read-settings.js";
import { findSkills } from "../../contracts/skills/find-skills.js";
import type { SkillServices } from "../../contracts/skills/services.js";
import { readDescription } from "../../profiles/description.js";
import { profilePlaces } from "../../profiles/places.js";
import { readWorkerProgram } from "../../runtime/worker-program.js";
import { readWorkerSettings } from "../runtimes/worker-settings.js";

/** Profiles of a root as the board looks at them. */
export interface Profiles extends ProfilesPort, WorkerProfiles {
  names(): readonly string[];
  /** With what profile.yaml says about them. */
  roster(): Promise<readonly RosterEntry[]>;
}

/** What the owner adds to what lies on disk. */
export interface ProfileParts {
  /** The skills of a profile; absent: those that lie in the directory of its home. */
  readonly skillsOf?: (home: Home) => Promise<SkillServices>;
  /** What every worker inherits of the owner's environment; absent: nothing. */
  readonly inherited?: () => Readonly<Record<string, string>>;
  readonly clock?: Clock;
}

/** The profiles of the root of a home. */
export function createProfiles(
  home: Home,
  toolsets: () => readonly string[],
  { skillsOf, inherited, clock = systemClock }: ProfileParts = {},
): Profiles {
  const { names, exists, dirOf } = profilePlaces(home.root);
  const hasSkill = async (profile: string, skill: string) => {
    const dir = dirOf(profile);
    if (skillsOf === undefined) return isThere(join(dir, "skills", skill, "SKILL.md"));
    const { catalog } = await skillsOf(layOutHome(dir, home.root, profile));
    return (await findSkills(catalog, [skill], { env: {}, platform: "worker" })).skills.length > 0;
  };
  // The first bytes of two small files: the YAML library is not loaded for them.
  const hasModel = (profile: string) => {
    const settings = readTextSync(join(dirOf(profile), "config.yaml")) ?? "";
    if (/^["']?(?:model|providers)["']?\s*:\s*\S?/m.test(settings)) return true;
    return Object.keys(readEnvFile(join(dirOf(profile), ".env"))).some((name) => name.endsWith("_API_KEY"));
  };
  const workerProblem = async (profile: string) => {
    if (!exists(profile)) return undefined;
    const place = layOutHome(dirOf(profile), home.root, profile);
    const config = await readWorkerSettings(place, inherited?.() ?? {}, clock);
    return config === undefined ? undefined : readWorkerProgram(config, config.env["PATH"]).problem;
  };
  return {
    exists,
    workerProblem,
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
      const problem = await workerProblem(name);
      return {
        name,
        home: dir,
        env: readEnvFile(join(dir, ".env")),
        toolsets: [],
        ...(problem === undefined ? {} : { problem }),
        hasSkill: (skill) => hasSkill(name, skill),
      };
    },
  };
}
