/** Rules, grants and switches of permissions, as commands and front ends see them (core part, 20.5). */
import type { EpochMs, SessionId } from "../../base/units.js";
import type { CageState, CageTest } from "./cage.js";

/** Where a rule is looked for: the project of a directory, and the lineage of a session. */
export interface PermissionPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly session?: SessionId | undefined;
}

export type RuleList = "allow" | "ask" | "deny";
export type RuleScope = "user" | "project" | "session";

/** One rule or grant. `n` names it until the next change. */
export interface ListedRule {
  readonly n: number;
  readonly list: RuleList;
  /** As a rule file holds it. */
  readonly rule: string;
  readonly source: RuleScope;
  /** The file that holds it, or the lineage that it was granted for. */
  readonly where: string;
  /** When it last decided something, as far as this owner knows. */
  readonly last_used: EpochMs | null;
  /** False: a rule of an untrusted project, which is ignored. */
  readonly counts: boolean;
}

export interface PermissionList {
  readonly rules: readonly ListedRule[];
  readonly mode: string;
  readonly edits: string;
  readonly yolo: boolean;
  /** Classes that `command_allowlist` allows everywhere. */
  readonly classes: readonly string[];
  /** Null: the project has no allow list. */
  readonly trusted: boolean | null;
  readonly user_file: string;
  readonly project_file: string;
  readonly notices: readonly string[];
  /** The cage of commands; absent without an engine. */
  readonly cage?: ListedCage;
}

/** The cage, and where its commands can write. */
export interface ListedCage extends CageState {
  /** Directories of `terminal.cage_writable` that exist. */
  readonly writable: readonly string[];
}

/** How a command line would be decided about now. Nothing is run or asked. */
export interface PermissionTest {
  readonly command: string;
  readonly decision: "allowed" | "ask" | "denied" | "blocked";
  /** What decided: a step of the table, or the text that the model would get. */
  readonly by: string;
  /** The rule that decided, with its source. */
  readonly rule?: { readonly rule: string; readonly source: string };
  readonly segments: readonly { readonly argv: string; readonly classes: readonly string[] }[];
  /** Findings about the line as a whole. */
  readonly findings: readonly { readonly class: string; readonly text: string }[];
  readonly read_only: boolean;
  /** Rule that would allow it; absent when none is needed or none can. */
  readonly rule_to_allow?: string;
  /** Effect of the cage on the command; absent without an engine. */
  readonly cage?: CageTest;
}

export interface SessionSwitches {
  readonly yolo?: boolean;
  readonly mode?: "manual" | "smart" | "off";
  readonly edits?: "allow" | "ask";
}

export interface PermissionsApi {
  permissions(place: PermissionPlace): Promise<PermissionList>;
  permissionTest(command: string, place: PermissionPlace): Promise<PermissionTest>;
  /** @throws E_USAGE (no rule, or no session to grant it for), E_CONFIG (a broken file is never overwritten) */
  permissionAdd(list: RuleList, rule: string, scope: RuleScope, place: PermissionPlace): Promise<ListedRule>;
  /** @throws E_NOT_FOUND */
  permissionRevoke(n: number, place: PermissionPlace): Promise<ListedRule>;
  /** Trust the project's current allow list. @returns the rules now in effect, possibly none */
  permissionTrust(place: PermissionPlace): Promise<readonly string[]>;
  /** @returns false when it was not trusted */
  permissionUntrust(place: PermissionPlace): Promise<boolean>;
  /** What is set for a session, after the change if one is given. */
  permissionSwitches(session: SessionId, change?: SessionSwitches): Promise<SessionSwitches>;
}
