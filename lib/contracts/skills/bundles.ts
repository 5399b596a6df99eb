/** Bundles: several skills under one slash command, each a YAML file of the home (core part, 28.4). */

import type { Skill, SkillPlace, SkillProblem } from "./skill.js";
import type { SkillReading } from "./texts.js";

/** A bundle as its file describes it. */
export interface Bundle {
  /** The slash command without its slash, and the name of its file. */
  readonly slug: string;
  readonly name: string;
  /** What it is for; "Load N skills as a bundle" where the file does not say. */
  readonly description: string;
  /** Names of skills, each once, in the order of the file. */
  readonly skills: readonly string[];
  /** Instructions for the model before the skills; "" without any. */
  readonly instruction: string;
  readonly file: string;
}

/** The bundles of a home. */
export interface BundleList {
  /** Each slug once, sorted by slug. */
  readonly bundles: readonly Bundle[];
  /** Files that cannot be used, and those whose slug another one has. */
  readonly problems: readonly SkillProblem[];
}

/** What a new bundle is made of. */
export interface NewBundle {
  readonly name: string;
  readonly skills: readonly string[];
  readonly description?: string | undefined;
  readonly instruction?: string | undefined;
}

/** A bundle with the skills that it loads at this moment. */
export interface LoadedBundle {
  readonly bundle: Bundle;
  readonly skills: readonly Skill[];
  /** Names that no skill of the place has. */
  readonly missing: readonly string[];
}

/** Bundles of a process: files in one directory, read again when they change. */
export interface BundlesApi {
  /** Directory of the files; it need not exist. */
  readonly dir: string;
  list(): BundleList;
  /** By name or slug. @throws E_NOT_FOUND with the closest names */
  find(name: string): Bundle;
  /** The skills that it loads in a place. */
  load(bundle: Bundle, place: SkillPlace): Promise<LoadedBundle>;
  /**
   * Write a bundle. Its skills exist in the place.
   *
   * @throws E_CONFLICT the file is there and `force` is not set: it is unchanged; E_INVALID; E_USAGE naming unknown skills
   */
  create(wanted: NewBundle, place: SkillPlace, force: boolean): Promise<Bundle>;
  /** Remove its file. @throws E_NOT_FOUND */
  remove(name: string): Promise<Bundle>;
  /** The one user message that `/<bundle> [text]` becomes. @throws E_NOT_FOUND when none of its skills can be loaded */
  message(name: string, text: string, reading: SkillReading): Promise<string>;
}
