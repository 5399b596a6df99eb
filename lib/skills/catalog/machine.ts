import { platform } from "node:os";
import { exists } from "../../base/fs/home-files.js";
import type { Skill, SkillPlace } from "../../contracts/skills/skill.js";

/** What skills may ask of where they run (core part, 28.1). */
export interface SkillMachine {
  /** Names of the system: `linux`, `macos`, `windows`, `termux`. */
  readonly systems: readonly string[];
  /** Of `docker`, `s6`. */
  readonly inside: readonly string[];
}

const SYSTEMS: Readonly<Record<string, string>> = { darwin: "macos", win32: "windows", android: "termux" };

/** The machine of this process. */
export function thisMachine(env: SkillPlace["env"]): SkillMachine {
  const own = SYSTEMS[platform()] ?? platform();
  const termux = (env["TERMUX_VERSION"] ?? "") !== "";
  const docker = exists("/.dockerenv") || exists("/run/.containerenv");
  const s6 = exists("/run/s6") || exists("/run/service/.s6-svscan");
  return {
    systems: [own, ...(termux ? ["termux"] : [])],
    inside: [...(docker ? ["docker"] : []), ...(s6 ? ["s6"] : [])],
  };
}

/** Other words for systems, as skills of other agents use them. */
const ALSO: Readonly<Record<string, string>> = { darwin: "macos", mac: "macos", osx: "macos", win32: "windows" };

/** A skill is for this place: system, environment, and the tools that are offered. */
export function isSkillForPlace(skill: Skill, place: SkillPlace, machine: SkillMachine): boolean {
  const inside = [...machine.inside, ...(place.platform === "worker" ? ["kanban"] : [])];
  return some(skill.platforms, machine.systems) && some(skill.environments, inside) && hasTools(skill, place);
}

/** One of the names that are asked for is there; nothing asked for is fine. */
const some = (asked: readonly string[], there: readonly string[]): boolean =>
  asked.length === 0 || asked.some((name) => there.includes(ALSO[name] ?? name));

function hasTools({ requires, fallbackFor }: Skill, { tools, toolsets }: SkillPlace): boolean {
  const lacks = (asked: readonly string[], there: readonly string[] | undefined) =>
    there !== undefined && asked.some((name) => !there.includes(name));
  const has = (asked: readonly string[], there: readonly string[] | undefined) =>
    there !== undefined && asked.some((name) => there.includes(name));
  if (lacks(requires.tools, tools) || lacks(requires.toolsets, toolsets)) return false;
  return !has(fallbackFor.tools, tools) && !has(fallbackFor.toolsets, toolsets);
}
