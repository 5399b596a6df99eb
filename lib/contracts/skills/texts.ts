/** What the model reads of skills (core part, 28.2). */
import type { Skill, SkillPlace, SkillVariable } from "./skill.js";

/** Directories of supporting files, as the public form names them. */
export const SKILL_FOLDERS = ["references", "templates", "assets", "scripts"] as const;
export type SkillFolder = (typeof SKILL_FOLDERS)[number];

/** Whether a skill has what it needs. */
export interface SkillReadiness {
  readonly status: "ready" | "setup_needed";
  readonly variables: readonly SkillVariable[];
  /** Programs that are not on PATH. */
  readonly commands: readonly string[];
  /** What is missing, for the model and for people; "" when it is ready. */
  readonly note: string;
}

/**
 * Runs a command that a skill's text holds as `` !`command` ``, and answers what stands in its place. It asks for permission itself.
 * Absent: such commands stay text.
 */
export type SkillShell = (command: string, dir: string) => Promise<string>;

/** For whom a text is made. */
export interface SkillReading {
  readonly place: SkillPlace;
  /** Takes the place of `${AGENT_SESSION_ID}`; absent: that stays as it is. */
  readonly session?: string;
  readonly shell?: SkillShell;
  /** A person who is not the owner of this agent calls the skill: where a rule asks, its text is not given away, and the model has to ask for it. */
  readonly byGuest?: boolean;
}

/** Result of `skill_view`, in the names of the tool. */
export interface SkillView {
  readonly success: true;
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** Whose text it is. */
  readonly origin: Skill["origin"];
  readonly version?: string;
  readonly tags: readonly string[];
  readonly related_skills: readonly string[];
  /** The instructions, or the text of the file that was asked for. */
  readonly content: string;
  /** File that `content` is of. */
  readonly path: string;
  readonly skill_dir: string;
  readonly linked_files: Readonly<Partial<Record<SkillFolder, readonly string[]>>>;
  readonly usage_hint: string | null;
  readonly readiness_status: SkillReadiness["status"];
  readonly setup_note?: string;
  readonly missing_environment_variables: readonly string[];
  readonly missing_commands: readonly string[];
  /** Values of the settings that it reads. */
  readonly config?: Readonly<Record<string, string>>;
  /** What was left out or marked. */
  readonly notes?: readonly string[];
}

/** Texts of skills. Each call reads the files as they are at this moment. */
export interface SkillTexts {
  /**
   * What `skill_view` answers: the skill itself, or a file of it by its path inside.
   *
   * @throws E_NOT_FOUND with the closest names, or the files there are; E_AMBIGUOUS; E_INVALID for a path that leads out of the skill
   */
  view(name: string, file: string | undefined, reading: SkillReading): Promise<SkillView>;
  /**
   * The one user message of `/<skill> [instruction]`.
   *
   * @throws E_NOT_FOUND when its file is gone
   */
  message(skill: Skill, reading: SkillReading & { readonly instruction?: string }): Promise<string>;
  /** The part of a message that is one skill: text, directory, settings, setup note and supporting files. For bundles. */
  block(skill: Skill, reading: SkillReading): Promise<string>;
  /**
   * The text of `--skills a,b`: it stands in the prompt from the start; "" for no names.
   *
   * @throws E_NOT_FOUND with the closest names for the first name that is unknown, E_AMBIGUOUS
   */
  promptText(names: readonly string[], place: SkillPlace): Promise<string>;
  readiness(skill: Skill, env: SkillPlace["env"]): SkillReadiness;
}
