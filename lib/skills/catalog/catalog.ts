import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import { SKILLS_DISABLED, SKILLS_PLATFORM_DISABLED } from "../../contracts/skills/keys.js";
import type {
  PluginSkill,
  Skill,
  SkillCatalog,
  SkillOrigin,
  SkillPlace,
  SkillProblem,
  SkillsApi,
} from "../../contracts/skills/skill.js";
import type { SkillUse } from "../../contracts/skills/usage.js";
import { isWithin } from "../../safety/paths/paths.js";
import { similarity } from "../../tools/core/repair.js";
import { type ReadFiles, readChanged } from "./facts.js";
import { isSkillForPlace, type SkillMachine, thisMachine } from "./machine.js";
import { loadManifest, saveManifest } from "./manifest.js";
import { commandOf } from "./names.js";
import { type RootsDeps, rootsFor } from "./roots.js";
import { fileIn, type RootScan, type SkillRoot, scanRoot } from "./scan.js";

export interface CatalogDeps extends RootsDeps {
  /** Who made a skill of the home, and which bundled ones are unused, as the records of use tell; absent: people made all. */
  readonly madeBy?: () => ReadonlyMap<string, Pick<SkillUse, "created_by" | "state">>;
  /** Skills that plugins bring, named `plugin:skill`. */
  readonly ofPlugins?: () => readonly PluginSkill[];
  /** Finishes what a killed process has left half done among the skills, before they are read. Never rejects. */
  readonly settle?: () => Promise<void>;
  /** The process only looks: it leaves nothing on the disk. */
  readonly looksOnly?: boolean;
  readonly machine?: (env: SkillPlace["env"]) => SkillMachine;
}

/** Directories whose skills are compared with what they were. */
const PLACES_MAX = 32;
/** Files and their stamps, by name of the skill. */
type Stamps = ReadonlyMap<string, string>;

const CLOSEST = 20;
/** Characters of a wanted name that are compared. */
const NAME_MAX = 128;

/** The skills of a home, of the product, of a project and of plugins. */
export function createCatalog(deps: CatalogDeps): SkillsApi {
  let read: ReadFiles | undefined;
  let known: SkillCatalog | undefined;
  const baselines = new Map<string, Stamps>();
  const keep = (cwd: string, stamps: Stamps) => {
    baselines.delete(cwd);
    baselines.set(cwd, stamps);
    const [oldest] = baselines.keys();
    if (baselines.size > PLACES_MAX && oldest !== undefined) baselines.delete(oldest);
  };
  const look = async (place: SkillPlace) => {
    if (deps.looksOnly !== true) await deps.settle?.();
    read ??= loadManifest(deps.home);
    const roots = rootsFor(deps, place);
    const scans: Scanned[] = [];
    for (const root of roots) scans.push({ root, scan: await scanRoot(root) });
    scans.push(...(deps.ofPlugins?.() ?? []).map(scanPlugin));
    const changed = await readChanged(
      scans.flatMap(({ scan }) => [...scan.skills, ...scan.categories]),
      read,
    );
    if ((forget(scans, read) || changed) && deps.looksOnly !== true) await saveManifest(deps.home, read);
    known = merge(scans, read, { deps, place });
    return { catalog: known, stamps: stampsOf(scans, read) };
  };
  const catalog = async (place: SkillPlace): Promise<SkillCatalog> => {
    const found = await look(place);
    const { cwd = "" } = place;
    if (!baselines.has(cwd)) keep(cwd, found.stamps);
    return found.catalog;
  };
  return {
    catalog,
    known: () => known,
    reload: async (place) => {
      const { cwd = "" } = place;
      const { catalog: now, stamps } = await look(place);
      const before = baselines.get(cwd) ?? stamps;
      keep(cwd, stamps);
      return {
        added: [...stamps.keys()].filter((name) => !before.has(name)),
        removed: [...before.keys()].filter((name) => !stamps.has(name)),
        changed: [...stamps].flatMap(([name, stamp]) => (before.has(name) && before.get(name) !== stamp ? [name] : [])),
        count: now.skills.length,
        problems: now.problems,
      };
    },
    find: async (name, place) => {
      const { skills, ambiguous } = await catalog(place);
      const paths = ambiguous.get(name);
      if (paths !== undefined)
        throw new AppError("E_AMBIGUOUS", `several skills are called ${name}: ${paths.join(", ")}`, {
          hint: "rename all but one of them",
        });
      const command = commandOf(name);
      const found = skills.find((one) => one.name === name) ?? skills.find((one) => one.command === command);
      if (found !== undefined) return found;
      throw new AppError("E_NOT_FOUND", `unknown skill ${name}`, { hint: hintFor(name, skills) });
    },
  };
}

interface Scanned {
  readonly root: SkillRoot;
  readonly scan: RootScan;
  /** Goes before the names of its skills: the key of a plugin. */
  readonly plugin?: string;
}

/** A plugin has named the directory itself. */
function scanPlugin({ plugin, name, dir }: PluginSkill): Scanned {
  const found = fileIn(dir, "SKILL.md", []);
  const problems = found === undefined ? [{ path: dir, why: `skill ${name} of plugin ${plugin} has no SKILL.md` }] : [];
  const scan = { skills: found === undefined ? [] : [found], categories: [], problems };
  return { root: { dir, origin: "plugin" }, scan, plugin };
}

function stampsOf(scans: readonly Scanned[], read: ReadFiles): Stamps {
  const stamps = new Map<string, string>();
  for (const { scan, plugin } of scans)
    for (const { file, stamp } of scan.skills) {
      const name = read.get(file)?.facts?.name;
      const whole = plugin === undefined ? name : `${plugin}:${name}`;
      if (name !== undefined && whole !== undefined) stamps.set(whole, `${stamps.get(whole) ?? ""}${file} ${stamp}\n`);
    }
  return stamps;
}

/** Files below these roots that are gone. @returns whether there were some */
function forget(scans: readonly Scanned[], read: ReadFiles): boolean {
  const there = new Set(scans.flatMap(({ scan }) => [...scan.skills, ...scan.categories].map(({ file }) => file)));
  const gone = [...read.keys()].filter(
    (file) => !there.has(file) && scans.some(({ root }) => isWithin(file, root.dir)),
  );
  for (const file of gone) read.delete(file);
  return gone.length > 0;
}

interface MergedFor {
  readonly deps: CatalogDeps;
  readonly place: SkillPlace;
}

/** Of one name the first root wins; the same name twice in one root does not count. */
function merge(scans: readonly Scanned[], read: ReadFiles, { deps, place }: MergedFor): SkillCatalog {
  const off = switchedOff(deps, place);
  const machine = (deps.machine ?? thisMachine)(place.env);
  const madeBy = deps.madeBy?.();
  const taken = new Map<string, Skill>();
  const ambiguous = new Map<string, readonly string[]>();
  const categories = new Map<string, string>();
  const problems: SkillProblem[] = [];
  for (const scanned of scans) {
    const { root, scan } = scanned;
    const found = skillsIn(scanned, read);
    problems.push(...scan.problems, ...found.problems);
    for (const { file, category } of scan.categories)
      if (!categories.has(category)) categories.set(category, read.get(file)?.text ?? "");
    for (const [name, same] of byName(found.skills)) {
      const [first] = same;
      const before = taken.get(name);
      if (first === undefined || ambiguous.has(name)) continue;
      if (before !== undefined) problems.push({ path: first.file, why: `its name is taken by ${before.dir}` });
      else if (same.length > 1)
        ambiguous.set(
          name,
          same.map(({ dir }) => dir),
        );
      else taken.set(name, withRecord(first, root.origin, madeBy?.get(name)));
    }
  }
  return {
    skills: [...taken.values()]
      .filter((skill) => !off.has(skill.name) && isSkillForPlace(skill, place, machine))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    ambiguous: new Map([...ambiguous].filter(([name]) => !off.has(name))),
    categories,
    problems,
  };
}

/** A bundled skill that the curator found unused is not in the list of the prompt, and works as a command. */
function withRecord(skill: Skill, origin: SkillOrigin, use: Pick<SkillUse, "created_by" | "state"> | undefined): Skill {
  if (origin === "user") return { ...skill, origin: use?.created_by ?? "user" };
  return origin === "bundled" && use?.state === "archived" ? { ...skill, userOnly: true } : skill;
}

function byName(skills: readonly Skill[]): ReadonlyMap<string, readonly Skill[]> {
  const names = new Map<string, Skill[]>();
  for (const skill of skills) {
    const same = names.get(skill.name);
    if (same === undefined) names.set(skill.name, [skill]);
    else same.push(skill);
  }
  return names;
}

function skillsIn({ root, scan, plugin }: Scanned, read: ReadFiles): Pick<SkillCatalog, "skills" | "problems"> {
  const skills: Skill[] = [];
  const problems: SkillProblem[] = [];
  for (const { file, dir, category } of scan.skills) {
    const known = read.get(file);
    problems.push(...(known?.problems ?? []).map((why) => ({ path: file, why })));
    if (known?.facts === undefined) continue;
    const name = plugin === undefined ? known.facts.name : `${plugin}:${known.facts.name}`;
    skills.push({ ...known.facts, name, command: commandOf(name), category, dir, file, origin: root.origin });
  }
  return { skills, problems };
}

function switchedOff({ config }: CatalogDeps, { platform }: SkillPlace): ReadonlySet<string> {
  const by = config.get(SKILLS_PLATFORM_DISABLED);
  const here = platform !== undefined && isRecord(by) && Object.hasOwn(by, platform) ? by[platform] : undefined;
  const names = Array.isArray(here) ? here.filter((name) => typeof name === "string") : [];
  return new Set([...config.get(SKILLS_DISABLED), ...names]);
}

function hintFor(name: string, skills: readonly Skill[]): string {
  const wanted = name.slice(0, NAME_MAX);
  const near = skills
    .map((one) => ({ name: one.name, near: similarity(wanted, one.name) }))
    .toSorted((a, b) => b.near - a.near)
    .slice(0, CLOSEST);
  return near.length === 0 ? "no skills are installed" : `skills: ${near.map((one) => one.name).join(", ")}`;
}
