import type { Home } from "../../base/home.js";
import type { Config } from "../../contracts/config/config.js";
import type { TurnReach } from "../../contracts/gateway/reach.js";
import type { ApprovalCage, ApprovalScope } from "../../safety/approve/approve.js";
import { APPROVAL } from "../../safety/config/keys.js";
import { projectRoot, userHomeOf } from "../../safety/paths/paths.js";
import { loadRules, type RuleFiles, ruleFiles } from "../../safety/rules/rules.js";
import { type Grants, grantRules } from "./grants.js";

/** Where and how a conversation runs, as far as its permissions go. */
export interface ApprovalPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly yolo?: boolean;
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Front end of the conversation. */
  readonly source?: string;
  /** Chat on a messaging platform that the conversation is held in. */
  readonly origin?: unknown;
  /** Absent: all of the home. */
  readonly reach?: Pick<TurnReach, "limits">;
}

export interface ScopeDeps {
  readonly home: Home;
  readonly config: Config;
  /** Environment of this process, read each time. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The cage that commands of this place run in; undefined: none. */
  readonly cage?: (place: ApprovalPlace) => Promise<ApprovalCage | undefined>;
}

/** Everything that decides, and the files that rules are written to. */
export interface Scoped {
  readonly scope: ApprovalScope;
  readonly files: RuleFiles;
}

/** Rules are read for each question: a file that the user has just changed counts at once. */
export async function approvalScope(
  { home, config, env, cage: cageOf }: ScopeDeps,
  place: ApprovalPlace,
  grants: Grants,
): Promise<Scoped> {
  const userHome = userHomeOf(place.env);
  const project = projectRoot(place.cwd, userHome);
  const files = ruleFiles(home.dir, project);
  const yolo = env["AGENT_YOLO_MODE"];
  const limits = place.reach?.limits();
  const cage = await cageOf?.(place);
  return {
    files,
    scope: {
      paths: {
        home,
        userHome,
        project,
        agentPids: [process.pid],
        env: yolo === undefined ? place.env : { AGENT_YOLO_MODE: yolo, ...place.env },
        ...(limits === undefined ? {} : { view: limits.home }),
      },
      rules: await loadRules(files, place.allow, place.deny),
      yolo: place.yolo === true || grants.yolo === true,
      mode: grants.mode ?? config.get(APPROVAL.mode),
      edits: grants.edits ?? config.get(APPROVAL.edits),
      allowlist: config.get(APPROVAL.allowlist),
      grants: grantRules(grants),
      ...(cage === undefined ? {} : { cage }),
      ...(place.origin === undefined && place.source !== "cron" ? {} : { asksScripts: true as const }),
    },
  };
}
