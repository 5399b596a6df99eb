import { exists } from "../../base/fs/home-files.js";
import type { SessionId } from "../../base/units.js";
import type { CageTest } from "../../contracts/config/cage.js";
import type { Config } from "../../contracts/config/config.js";
import type { ListedCage, PermissionPlace } from "../../contracts/config/permissions.js";
import { type ApprovalScope, decideCall } from "../../safety/approve/approve.js";
import type { Cages } from "../../safety/cage/cages.js";
import { describeCage } from "../../safety/cage/describe.js";
import { TEMPORARY } from "../../safety/cage/lists.js";
import type { CagePlan, CageStatus } from "../../safety/cage/types.js";
import { CAGE } from "../../safety/config/keys.js";
import { inspect } from "../../safety/exec/exec.js";
import { absolutePath, isWithin, realTarget, userHomeOf } from "../../safety/paths/paths.js";
import { findWriteTargets } from "../../safety/writes/find.js";
import { type Call, operandPath } from "../../safety/writes/operands.js";

/** What is known of the cage that a command would run in. */
export interface CageFacts {
  readonly status: CageStatus;
  readonly plan: CagePlan;
}

/** The cage that commands of this place would run in. */
export async function cageFacts(
  cages: Cages,
  { cwd, env }: PermissionPlace,
  lineage: SessionId | undefined,
): Promise<CageFacts> {
  return {
    status: await cages.status(),
    plan: await cages.plan({ directory: cwd, lineage: lineage ?? "permissions", env }),
  };
}

/** The state of the cage, and the directories of `terminal.cage_writable` that exist. */
export async function listCage(cages: Cages, config: Config, env: PermissionPlace["env"]): Promise<ListedCage> {
  const home = userHomeOf(env);
  const writable = config.get(CAGE.writable).map((given) => absolutePath(given, home, home));
  return { ...describeCage(await cages.status()), writable: writable.filter((dir) => exists(dir)) };
}

/** What the cage would do with a command line, as far as its words show. Nothing is run. */
export function explainCage(command: string, cwd: string, scope: ApprovalScope, { status, plan }: CageFacts): CageTest {
  const state = describeCage(status);
  if (!status.on) return { ...state, runs: "outside", prevents: [] };
  const request = { kind: "command", tool: "terminal", command, cwd } as const;
  const decision = decideCall(request, scope);
  const runs = decision.outcome === "allowed" && decision.outside === true ? "outside" : "inside";
  const { calls } = inspect(command, { ...scope.paths, cwd });
  const outside = decideCall({ ...request, outside: "permissions test" }, scope).outcome;
  return {
    ...state,
    runs,
    prevents: runs === "inside" ? findPrevented(calls, scope.paths.userHome, plan) : [],
    outside,
  };
}

/** Paths that the calls write or name, where the cage has them read-only or hidden. */
function findPrevented(calls: readonly Call[], userHome: string, plan: CagePlan): CageTest["prevents"] {
  const found = new Map<string, "read-only" | "hidden">();
  for (const call of calls) {
    const named = call.operands.map((word) => operandPath(word.text, call.simple.cwd));
    for (const path of named) if (path !== undefined && isHidden(path, plan)) found.set(path, "hidden");
    for (const path of findWriteTargets(call, { calls, userHome }).paths) {
      if (found.has(path) || path.startsWith("/dev/")) continue;
      if (isHidden(path, plan)) found.set(path, "hidden");
      else if (!isWritable(path, plan)) found.set(path, "read-only");
    }
  }
  return [...found].map(([path, how]) => ({ path, how }));
}

/** The nearest of the plan's paths that holds `path` decides; a temporary directory is the lineage's own. */
function isWritable(path: string, plan: CagePlan): boolean {
  const real = realTarget(path) ?? path;
  const nearest = (dirs: readonly string[]) =>
    Math.max(-1, ...dirs.filter((dir) => isWithin(real, dir)).map((dir) => dir.length));
  return nearest([...plan.writable, ...TEMPORARY]) > nearest([...plan.readOnly, ...plan.hidden]);
}

function isHidden(path: string, plan: CagePlan): boolean {
  const real = realTarget(path) ?? path;
  const nearest = (dirs: readonly string[]) =>
    Math.max(-1, ...dirs.filter((dir) => isWithin(real, dir)).map((dir) => dir.length));
  return nearest(plan.hidden) > nearest([...plan.writable, ...plan.shown, ...plan.readOnly]);
}
