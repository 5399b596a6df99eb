import type { SkillFinding, SkillVerdict } from "./guard.js";

/** How far a source is trusted (housekeeping part, 8): shipped with the product, named in `skills.hub.trusted`, or any other. */
export type SkillTrust = "builtin" | "trusted" | "community";

/** Where a skill is fetched from. */
export type SkillSourceKind = "official" | "github" | "git" | "well-known" | "url" | "marketplace" | "directory";

/** What the files of a skill name, as far as a text can tell: shown before it is installed, and pinned by the hash of its files. */
export interface SkillUses {
  /** Tools of `allowed-tools`. */
  readonly tools: readonly string[];
  /** Hosts of addresses. */
  readonly hosts: readonly string[];
  /** Programs of its commands and of `prerequisites`. */
  readonly programs: readonly string[];
  /** Paths outside of the project and of the skill. */
  readonly paths: readonly string[];
  /** Files that can be run. */
  readonly scripts: readonly string[];
  /** Environment variables. */
  readonly variables: readonly string[];
}

/** One skill that a source offers. */
export interface HubRow {
  /** For `agent skills install`. */
  readonly identifier: string;
  readonly name: string;
  readonly description: string;
  readonly version: string;
  readonly source: SkillSourceKind;
  readonly trust: SkillTrust;
  readonly installed: boolean;
}

export interface HubSearch {
  readonly rows: readonly HubRow[];
  /** Sources that could not be asked, with the reason. */
  readonly failed: readonly string[];
}

/** `block`: only `--force` installs it, and not even that where `final` is set. */
export interface SkillDecision {
  readonly action: "allow" | "block";
  readonly final: boolean;
  readonly why: string;
}

/** A skill as it was fetched, before anything of it is in place. */
export interface SkillPreview {
  readonly name: string;
  /** Below `skills/`: `<category>/<name>`. */
  readonly path: string;
  readonly description: string;
  readonly version: string;
  readonly license: string;
  readonly source: SkillSourceKind;
  readonly identifier: string;
  /** Branch, tag or commit that was asked for; "" for the default. */
  readonly ref: string;
  /** Commit of git; "" elsewhere. */
  readonly commit: string;
  readonly trust: SkillTrust;
  /** SHA-256 over names and bytes of all files. */
  readonly hash: string;
  readonly files: readonly { readonly path: string; readonly size: number }[];
  readonly uses: SkillUses;
  readonly verdict: SkillVerdict;
  readonly findings: readonly SkillFinding[];
  readonly decision: SkillDecision;
  /** A skill of this name lies in the home: `hub` can be updated, `own` was written there. */
  readonly exists: "no" | "hub" | "own";
  readonly warnings: readonly string[];
}

/** An installed skill of the hub, and how its files compare with those that were installed. */
export interface InstalledSkill {
  readonly name: string;
  readonly path: string;
  readonly version: string;
  readonly source: SkillSourceKind;
  readonly identifier: string;
  readonly ref: string;
  readonly commit: string;
  readonly trust: SkillTrust;
  readonly verdict: SkillVerdict;
  readonly hash: string;
  readonly uses: SkillUses;
  readonly installed_at: number;
  readonly updated_at: number | null;
  readonly state: "unchanged" | "changed" | "missing";
  /** Files that were changed, added or removed in the home. */
  readonly changes: readonly string[];
}

export interface SkillCheck {
  readonly name: string;
  readonly state: InstalledSkill["state"];
  readonly changes: readonly string[];
  /** What the source has: the same, something new, or it could not be asked. */
  readonly update: "none" | "available" | "unknown";
  readonly from: string;
  readonly to: string;
  readonly error: string | null;
}

/** What an update does with one file. */
export interface SkillFileUpdate {
  readonly path: string;
  readonly action: "added" | "replaced" | "removed" | "merged" | "kept" | "conflict";
}

export interface SkillUpdate {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly files: readonly SkillFileUpdate[];
  /** The scanner judges the new files otherwise than the installed ones, or they name something new that they may use. */
  readonly asks: boolean;
  readonly preview: SkillPreview;
}

export interface UpdatedSkill {
  readonly name: string;
  readonly result: "updated" | "current" | "declined" | "blocked" | "failed";
  readonly conflicts: readonly string[];
  readonly files: readonly SkillFileUpdate[];
  readonly error: string | null;
}

export interface SkillAudit {
  readonly name: string;
  readonly origin: "hub" | "own";
  readonly state: InstalledSkill["state"];
  readonly changes: readonly string[];
  /** Verdict at installation; null for a skill that no source gave. */
  readonly installed_verdict: SkillVerdict | null;
  readonly verdict: SkillVerdict;
  readonly findings: readonly SkillFinding[];
  readonly uses: SkillUses;
}

export interface HubInstall {
  readonly category?: string | undefined;
  readonly name?: string | undefined;
  readonly force: boolean;
  readonly cwd: string;
  /** Directories of this machine may be named; false for requests from elsewhere. */
  readonly local: boolean;
  /** Only these bytes: the hash that a preview has shown. */
  readonly hash?: string | undefined;
  /** Shown what was fetched; only `true` installs it. */
  readonly confirm: (preview: SkillPreview) => Promise<boolean>;
  readonly signal?: AbortSignal;
}

/** Skills from elsewhere. Nothing that was fetched is run, indexed or put in place before `confirm` says yes. */
export interface SkillHubApi {
  /** What the sources offer; every word of `query` is in name, description or identifier. */
  search(query: string, signal?: AbortSignal): Promise<HubSearch>;
  /** Fetch and judge a skill, and drop it. */
  inspect(
    identifier: string,
    options: { readonly cwd: string; readonly local: boolean; readonly signal?: AbortSignal },
  ): Promise<SkillPreview>;
  /** Undefined: declined. @throws E_FORBIDDEN the policy blocks it; E_CONFLICT a skill of the name is there */
  install(identifier: string, options: HubInstall): Promise<InstalledSkill | undefined>;
  list(): Promise<readonly InstalledSkill[]>;
  check(name?: string, signal?: AbortSignal): Promise<readonly SkillCheck[]>;
  update(
    name: string | undefined,
    options: {
      readonly force: boolean;
      readonly confirm: (update: SkillUpdate) => Promise<boolean>;
      readonly signal?: AbortSignal;
    },
  ): Promise<readonly UpdatedSkill[]>;
  /** `deep`: skills of the home that no source gave as well. */
  audit(name: string | undefined, deep: boolean): Promise<readonly SkillAudit[]>;
  /** @throws E_CONFLICT its files were changed, without `force` */
  uninstall(name: string, force: boolean): Promise<InstalledSkill>;
  /** Changed files follow their source again with the next update; `restore` puts the installed bytes back at once. */
  reset(name: string, restore: boolean): Promise<InstalledSkill>;
  /** Put missing and damaged files of official skills back; what was changed is kept beside as `.orig`. */
  repairOfficial(): Promise<readonly { readonly name: string; readonly files: readonly string[] }[]>;
  /** Write a skill into a directory or a checkout of git, with the index of the public form. */
  publish(
    name: string,
    to: string,
    force: boolean,
  ): Promise<{ readonly dir: string; readonly files: number; readonly git: boolean }>;
  /** Write a skill as `.tar.gz`. */
  export(name: string, to: string, force: boolean): Promise<{ readonly path: string; readonly bytes: number }>;
  /** The repository as a setting holds it. @throws E_INVALID it is not one; E_NOT_FOUND it has no skills, or cannot be fetched */
  checkTap(repository: string, signal?: AbortSignal): Promise<string>;
  /** Lines of the audit log, the newest last. */
  log(limit: number): Promise<readonly Readonly<Record<string, unknown>>[]>;
}
