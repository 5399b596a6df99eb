import type { EpochMs, SessionId } from "../../base/units.js";

/** Changes of skills of the home: planned as a difference, applied as one step, kept as a version, undone byte for byte (core part, 28.3). */

/** One change. Paths of files are relative to the directory of the skill; absent: its `SKILL.md`. */
export type SkillEdit =
  | {
      readonly action: "create";
      readonly name: string;
      readonly category?: string | undefined;
      readonly content: string;
    }
  | {
      readonly action: "patch";
      readonly name: string;
      readonly category?: string | undefined;
      readonly file_path?: string | undefined;
      readonly old_string: string;
      readonly new_string: string;
      readonly replace_all?: boolean | undefined;
    }
  /** Replace the whole `SKILL.md`. */
  | { readonly action: "edit"; readonly name: string; readonly category?: string | undefined; readonly content: string }
  | {
      readonly action: "write_file";
      readonly name: string;
      readonly category?: string | undefined;
      readonly file_path: string;
      readonly file_content: string;
    }
  | {
      readonly action: "remove_file";
      readonly name: string;
      readonly category?: string | undefined;
      readonly file_path: string;
    }
  /** Remove the skill; its directory is kept with the version. `absorbed_into`: the skill that has taken over its content. */
  | {
      readonly action: "delete";
      readonly name: string;
      readonly category?: string | undefined;
      readonly absorbed_into?: string | undefined;
    }
  /** Move the skill to `skills/.archive/`. */
  | {
      readonly action: "archive";
      readonly name: string;
      readonly category?: string | undefined;
      readonly absorbed_into?: string | undefined;
    }
  /** Bring a skill back from `skills/.archive/`. */
  | { readonly action: "restore"; readonly name: string };

/** Who makes a change. The curator may change only what the agent made; a person may also change pinned skills and those of the hub. */
export type SkillWriter = "agent" | "curator" | "user";

export interface WrittenBy {
  readonly who: SkillWriter;
  readonly session?: SessionId;
  /** One line for people, e.g. the run of the curator that it belongs to. */
  readonly note?: string;
}

/** A file as it was, or as it will be. */
export interface FileState {
  readonly bytes: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
}

/** `null`: the file does not exist. Paths are relative to `skills/`, with `/`. */
export interface FileChange {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

/** A whole directory that gets another place. Paths are relative to `skills/`. */
export interface DirMove {
  readonly from: string;
  readonly to: string;
  /** What it holds; a change meanwhile is a conflict. */
  readonly stamp: string;
}

/** What a scan found in the new text. */
export interface WriteFinding {
  readonly rule: string;
  readonly severity: string;
  /** Relative to `skills/`. */
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

export interface SkillPlan {
  readonly changes: readonly SkillEdit[];
  /** One line for people. */
  readonly summary: string;
  /** The skill that the version is filed under: that of the first change. */
  readonly name: string;
  /** Every skill that is changed. */
  readonly names: readonly string[];
  readonly files: readonly FileChange[];
  readonly moves: readonly DirMove[];
  /** The whole difference in unified form. */
  readonly diff: string;
  readonly findings: readonly WriteFinding[];
  /** Of the security scan (`skills.guard_agent_created`); absent: it is off. */
  readonly verdict?: "safe" | "caution" | "dangerous";
  /** How the text of a patch was found, when not exactly. */
  readonly strategy?: string;
}

/** A change that was made. */
export interface SkillVersion {
  /** `<name>@<number>`. */
  readonly id: string;
  readonly name: string;
  readonly number: number;
  readonly names: readonly string[];
  readonly summary: string;
  readonly by: WrittenBy;
  readonly at: EpochMs;
  readonly files: readonly string[];
  /** Id of the version that this one undid. */
  readonly undoes?: string;
}

/** A change that waits for a person (`skills.write_approval`). */
export interface PendingWrite {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly by: WrittenBy;
  readonly at: EpochMs;
  readonly diff: string;
  readonly findings: readonly WriteFinding[];
  readonly verdict?: SkillPlan["verdict"];
}

export interface AppliedWrite {
  /** Id of the version that `undo` takes. */
  readonly version: string;
}

/** Every way in which skills of a home change. Several processes of the home may write: one change after the other. */
export interface SkillWrites {
  /**
   * What the changes would do, one after the other, as one step. Nothing is written.
   *
   * @throws E_INVALID, E_NOT_FOUND, E_AMBIGUOUS, E_FORBIDDEN, E_TOO_LARGE: what is wrong, and what to do
   */
  plan(changes: SkillEdit | readonly SkillEdit[], by: WrittenBy): Promise<SkillPlan>;
  /**
   * Make the change: on the disk when it resolves, whole or not at all at every kill, and kept as a version.
   *
   * @throws E_CONFLICT when a file is not as the plan found it: nothing is written
   */
  apply(plan: SkillPlan, by: WrittenBy): Promise<AppliedWrite>;
  /**
   * Restore the bytes of before a version, which is itself kept as a version.
   *
   * @throws E_CONFLICT when something has changed since: names what
   */
  undo(version: string, by: WrittenBy): Promise<AppliedWrite>;
  /** Versions of a skill, newest first. */
  versions(name: string): Promise<readonly SkillVersion[]>;
  /** Difference that a version made. @throws E_NOT_FOUND */
  diff(version: string): Promise<string>;
  /** Keep the plan until a person decides. */
  stage(plan: SkillPlan, by: WrittenBy): Promise<PendingWrite>;
  /** Oldest first. */
  pending(): Promise<readonly PendingWrite[]>;
  /**
   * Make a change that waits, planned again first.
   *
   * @throws E_CONFLICT when the skill has changed since; it keeps waiting
   */
  approve(id: string, by: WrittenBy): Promise<AppliedWrite>;
  reject(id: string): Promise<PendingWrite>;
}
