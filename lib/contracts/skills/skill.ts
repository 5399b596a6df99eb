/** Skills: directories with a `SKILL.md` in the public form (core part, 28). */

/** Who a skill comes from. `user` and `agent` lie in the same directory: the records of use tell who made one. */
export type SkillOrigin = "user" | "agent" | "hub" | "bundled" | "project" | "external" | "plugin";

/** A variable that a skill needs, as its front matter names it. */
export interface SkillVariable {
  readonly name: string;
  /** What to enter; "" when the skill does not say. */
  readonly prompt: string;
  readonly help: string;
  /** The skill works without it, with less: a missing one needs no setup. Default false. */
  readonly optional: boolean;
}

/** A setting that a skill reads. */
export interface SkillSetting {
  readonly key: string;
  readonly description: string;
  readonly default: string;
}

/** One skill as its front matter describes it. Texts are data of others: cut to bounds, nothing of them is trusted. */
export interface Skill {
  /** What the model and people call it; `plugin:name` for one of a plugin. */
  readonly name: string;
  /** The slash command without its slash: lower case, `-` for blanks and `_`, other characters left out. */
  readonly command: string;
  /** One paragraph, at most 1,024 characters. */
  readonly description: string;
  /** Directory between root and skill, with `/`; "" directly below the root. */
  readonly category: string;
  /** Absolute directory of the skill; its supporting files lie below. */
  readonly dir: string;
  /** Absolute path of its `SKILL.md`. */
  readonly file: string;
  readonly origin: SkillOrigin;
  readonly version: string;
  readonly license: string;
  /** Of `linux`, `macos`, `windows`, `termux`; empty: all. */
  readonly platforms: readonly string[];
  /** Of `kanban`, `docker`, `s6`; empty: all. */
  readonly environments: readonly string[];
  /** Not in the index of the prompt; works as a command. */
  readonly userOnly: boolean;
  readonly tags: readonly string[];
  readonly related: readonly string[];
  readonly variables: readonly SkillVariable[];
  /** Programs that it needs. */
  readonly commands: readonly string[];
  /** Shown only where all of these are offered. */
  readonly requires: { readonly toolsets: readonly string[]; readonly tools: readonly string[] };
  /** Shown only where none of these is offered. */
  readonly fallbackFor: { readonly toolsets: readonly string[]; readonly tools: readonly string[] };
  readonly settings: readonly SkillSetting[];
}

/** A `SKILL.md` that cannot be used, or a field of it that was left out. */
export interface SkillProblem {
  readonly path: string;
  readonly why: string;
}

/** Where skills are looked for, and for whom. */
export interface SkillPlace {
  /** Directory of the conversation; its project may have skills of its own. Absent: only those of the home. */
  readonly cwd?: string;
  /** Environment of the front end. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Front end: `cli`, `workspace`, `worker`, a tag of a platform. For `skills.platform_disabled`. */
  readonly platform?: string;
  /** Names of the tools that are offered; absent: nothing is left out for want of a tool. */
  readonly tools?: readonly string[];
  readonly toolsets?: readonly string[];
}

/** The skills of a place. */
export interface SkillCatalog {
  /** Each bare name once, sorted by name. Switched off ones, and those of other systems, are left out. */
  readonly skills: readonly Skill[];
  /** Bare names that lie in several categories of one root, with their directories. Using one is an error that lists these. */
  readonly ambiguous: ReadonlyMap<string, readonly string[]>;
  /** Texts of `DESCRIPTION.md`, by category. */
  readonly categories: ReadonlyMap<string, string>;
  readonly problems: readonly SkillProblem[];
}

/** Names of skills. */
export interface SkillChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** How many there are now. */
  readonly count: number;
  readonly problems: readonly SkillProblem[];
}

/** The skills of a process: files of a home, read again when they change. */
export interface SkillsApi {
  catalog(place: SkillPlace): Promise<SkillCatalog>;
  /** The skills of the home as they were last read, from memory; undefined: they were not read yet. */
  known(): SkillCatalog | undefined;
  /**
   * What has changed since the skills of this directory were first read, or since this was last asked.
   */
  reload(place: SkillPlace): Promise<SkillChanges>;
  /**
   * The skill of this name, or of this command.
   *
   * @throws E_NOT_FOUND with the closest names, E_AMBIGUOUS listing the paths
   */
  find(name: string, place: SkillPlace): Promise<Skill>;
}

/** A directory with a `SKILL.md` that a plugin has registered; its skill is called `plugin:name`. */
export interface PluginSkill {
  /** Key of the plugin. */
  readonly plugin: string;
  readonly name: string;
  readonly dir: string;
}
