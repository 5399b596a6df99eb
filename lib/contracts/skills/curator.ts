/** The curator: keeps the skills that the agent made few and broad (core part, 29). */
import type { Ms } from "../../base/units.js";
import { configKey } from "../config/config.js";
import type { SkillUse } from "./usage.js";

export const CURATOR_ENABLED = configKey<boolean>({
  key: "curator.enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Let the curator run by itself in an owner process that stays.",
});

export const CURATOR_INTERVAL_HOURS = configKey<number>({
  key: "curator.interval_hours",
  kind: { type: "integer", min: 1, max: 87_600 },
  default: 168,
  help: "Hours between two runs of the curator. The first run comes one interval after the curator first saw the home.",
});

export const CURATOR_MIN_IDLE_HOURS = configKey<number>({
  key: "curator.min_idle_hours",
  kind: { type: "number", min: 0, max: 87_600 },
  default: 2,
  help: "Hours without a turn before the curator runs by itself.",
});

export const CURATOR_STALE_AFTER_DAYS = configKey<number>({
  key: "curator.stale_after_days",
  kind: { type: "integer", min: 1, max: 36_500 },
  default: 30,
  help: "Days without activity after which a skill that the agent made is stale.",
});

export const CURATOR_ARCHIVE_AFTER_DAYS = configKey<number>({
  key: "curator.archive_after_days",
  kind: { type: "integer", min: 1, max: 36_500 },
  default: 90,
  help: "Days without activity after which a skill that the agent made is archived.",
});

export const CURATOR_PRUNE_BUILTINS = configKey<boolean>({
  key: "curator.prune_builtins",
  kind: { type: "boolean" },
  default: true,
  help: "Leave bundled skills that were not used for curator.archive_after_days out of the list in the prompt.",
});

export const CURATOR_BACKUP_ENABLED = configKey<boolean>({
  key: "curator.backup.enabled",
  kind: { type: "boolean" },
  default: true,
  help: "Back up all skills before the curator changes any.",
});

export const CURATOR_BACKUP_KEEP = configKey<number>({
  key: "curator.backup.keep",
  kind: { type: "integer", min: 1, max: 1_000 },
  default: 5,
  help: "Number of backups of the skills to keep; older ones are removed.",
});

export const CURATOR_APPLY = configKey<"auto" | "ask">({
  key: "curator.apply",
  kind: { type: "choice", of: ["auto", "ask"] },
  default: "auto",
  help: "Apply the changes of a run at once (auto), or wait for agent curator apply (ask).",
});

/** Settings of the curator. */
export const CURATOR_KEYS = [
  CURATOR_ENABLED,
  CURATOR_INTERVAL_HOURS,
  CURATOR_MIN_IDLE_HOURS,
  CURATOR_STALE_AFTER_DAYS,
  CURATOR_ARCHIVE_AFTER_DAYS,
  CURATOR_PRUNE_BUILTINS,
  CURATOR_BACKUP_ENABLED,
  CURATOR_BACKUP_KEEP,
  CURATOR_APPLY,
] as const;

/** An instant as ISO 8601 text in UTC: what is shown here is what programs get as JSON. */
type Instant = string;

/** What the curator remembers between runs, in `skills/.curator.json`. */
export interface CuratorState {
  /** End of the last run; before the first run, when the curator first saw the home. */
  readonly last_run_at: Instant | null;
  readonly last_run_duration: Ms | null;
  readonly last_run_summary: string | null;
  /** When the summary was shown in a conversation; null: not yet. */
  readonly summary_shown_at: Instant | null;
  /** Id of the newest run, a directory below `logs/curator`. */
  readonly last_report: string | null;
  readonly paused: boolean;
  readonly run_count: number;
}

/** A skill that the curator may change, or would if it were not pinned. */
export interface CuratedSkill extends Omit<SkillUse, "created_at" | "last_activity_at"> {
  readonly created_at: Instant | null;
  readonly last_activity_at: Instant | null;
  readonly name: string;
  /** Directory below `skills/`. */
  readonly path: string;
}

export interface CuratorStatus extends CuratorState {
  readonly enabled: boolean;
  /** A run is under way. */
  readonly running: boolean;
  /** Earliest time of a run by itself; null: none is due, since the curator is off, paused, or has not seen the home yet. */
  readonly next_run_at: Instant | null;
  readonly apply: "auto" | "ask";
  /** Skills that the agent made, by name. */
  readonly skills: readonly CuratedSkill[];
  /** Number of archived skills. */
  readonly archived: number;
  /** Bundled skills that are left out of the list in the prompt. */
  readonly unlisted: readonly string[];
  readonly backups: number;
}

/** A skill below `skills/.archive`. */
export interface ArchivedSkill {
  readonly name: string;
  /** Directory below `skills/.archive`; "" for a bundled skill, which is only left out of the list. */
  readonly path: string;
  readonly last_activity_at: Instant | null;
}

/** `applying` and `undoing` stand in a report only while it happens; after a crash the next use of the curator settles which it was. */
export type ChangeStatus = "proposed" | "applying" | "applied" | "undoing" | "undone" | "refused" | "failed";

/** What the curator does to skills. It never deletes one. */
export type CuratorEdit =
  | { readonly action: "create" | "edit"; readonly name: string; readonly content: string }
  | { readonly action: "archive"; readonly name: string; readonly absorbed_into?: string };

/** One reversible change of a run. */
export interface CuratorChange {
  /** Counts from 1. */
  readonly n: number;
  /** `merge`: the absorbed skills become part of `skill`. `unlist`: a bundled skill is left out of the list in the prompt. */
  readonly kind: "merge" | "edit" | "archive" | "unlist";
  /** `rule`: for want of activity. */
  readonly by: "rule" | "model";
  readonly skill: string;
  readonly absorbed: readonly string[];
  readonly why: string;
  readonly status: ChangeStatus;
  /** Why it was refused or failed; else "". */
  readonly note: string;
  /** What is done to skills of the home, as one step. */
  readonly changes: readonly CuratorEdit[];
  /** Unified diff of all that it changes. */
  readonly diff: string;
  /** Version under which it can be undone; null: it is not applied, or changes no file. */
  readonly version: string | null;
  /** Scheduled jobs whose list of skills changes with it. */
  readonly jobs: readonly {
    readonly id: string;
    readonly before: readonly string[];
    readonly after: readonly string[];
  }[];
}

/** What the model was asked in a run. */
export interface CuratorModelPass {
  /** `skipped`: fewer than two skills to look at. `none`: no model is configured for the slot `curator`. `unusable`: its answer is not what was asked for. */
  readonly state: "answered" | "skipped" | "none" | "failed" | "unusable";
  readonly note: string;
  readonly model: string | null;
  readonly provider: string | null;
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** Null: not known. */
  readonly cost_usd: number | null;
}

/** Report of one run, `run.json`. */
export interface CuratorRun {
  /** UTC time of its start, `YYYY-MM-DDTHH-MM-SSZ[-nn]`. */
  readonly id: string;
  readonly started_at: Instant;
  readonly duration: Ms;
  readonly cause: "manual" | "idle";
  readonly dry_run: boolean;
  /** Id of the backup made before; null: none was made. */
  readonly backup: string | null;
  /** Skills whose state changed for want of activity, or because of it. */
  readonly transitions: readonly {
    readonly name: string;
    readonly from: SkillUse["state"];
    readonly to: SkillUse["state"];
  }[];
  /** Skills that the agent made and the model did not see, and why. */
  readonly left: readonly { readonly name: string; readonly why: string }[];
  readonly model: CuratorModelPass;
  readonly changes: readonly CuratorChange[];
  readonly summary: string;
  /** Directory of the report. */
  readonly report: string;
}

/** A backup of all skills. */
export interface SkillBackup {
  /** `YYYY-MM-DDTHH-MM-SSZ[-nn]`. */
  readonly id: string;
  readonly created_at: Instant;
  readonly reason: string;
  readonly files: number;
  /** Bytes of the archive. */
  readonly bytes: number;
}

export interface SkillRollback {
  readonly id: string;
  /** Backup of the state before. */
  readonly before: string;
  readonly files: number;
  /** Scheduled jobs whose list of skills was set back. */
  readonly jobs: readonly string[];
  readonly warnings: readonly string[];
}

/** What a person may do with the curator. Everything that changes a skill finishes or reverts first what a crash left half done. */
export interface CuratorApi {
  status(): Promise<CuratorStatus>;
  /**
   * One run; resolves at its end.
   *
   * @throws E_BUSY another one is under way
   */
  run(
    wanted: { readonly dryRun: boolean; readonly cause: CuratorRun["cause"] },
    signal: AbortSignal,
  ): Promise<CuratorRun>;
  /**
   * One run, if one is due: the curator is on and not paused, the interval has passed, and so has `curator.min_idle_hours` without turns. The first
   * call only notes the time, so that the first run comes one interval later.
   *
   * @param idle since the last turn; undefined: a turn runs
   */
  runWhenDue(idle: Ms | undefined, signal: AbortSignal): Promise<CuratorRun | undefined>;
  /** Start a run and return: here when this process stays, else in a process of its own. */
  runInBackground(wanted: { readonly dryRun: boolean }): Promise<void>;
  pause(paused: boolean): Promise<CuratorState>;
  /** @throws E_NOT_FOUND */
  pin(name: string, pinned: boolean): Promise<void>;
  archived(): Promise<readonly ArchivedSkill[]>;
  /** @returns its directory below `skills/.archive`. @throws E_NOT_FOUND, E_STATE when it is pinned or not in the home */
  archive(name: string): Promise<string>;
  /** @returns its directory below `skills/`. @throws E_NOT_FOUND, E_AMBIGUOUS, E_CONFLICT */
  restore(name: string): Promise<string>;
  /** Archive skills that the agent made and that had no activity for so many days. */
  prune(days: number, dryRun: boolean): Promise<readonly string[]>;
  backup(reason: string): Promise<SkillBackup>;
  /** The newest first. */
  backups(): Promise<readonly SkillBackup[]>;
  /** To the newest backup, or to the named one. @throws E_NOT_FOUND, E_INVALID: nothing has changed */
  rollback(id: string | undefined): Promise<SkillRollback>;
  /** Finish a killed rollback; nothing without one, or while another process works on it. For readers of the skills. */
  finishRollback(): Promise<void>;
  /** Newest run without an id. @throws E_NOT_FOUND */
  show(id: string | undefined): Promise<CuratorRun>;
  /** All changes that are proposed, or change `n`. @throws E_NOT_FOUND, E_STATE */
  apply(id: string, n: number | undefined): Promise<CuratorRun>;
  /** All changes that are applied, the newest first, or change `n`. @throws E_NOT_FOUND, E_STATE */
  undo(id: string, n: number | undefined): Promise<CuratorRun>;
  /** The summary of the last run by itself, once. */
  takeSummary(): Promise<string | undefined>;
}
