import { toAppError } from "../../base/errors.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import type { BoardHealth, DoctorOptions } from "../../contracts/board/explain.js";
import type { Check } from "../../contracts/check.js";
import type { Core } from "../core/core.js";
import { portsOf } from "../core/ports.js";
import { auditCursor, type DoctorCheck, type Doctoring } from "./doctoring.js";
import { checkAttachments, checkClaimFiles, checkStrayWorkers, checkWorkers, checkWorkspaces } from "./files.js";
import { INVARIANTS } from "./invariants.js";
import { checkBoardSecrets } from "./secrets.js";
import {
  checkAssignees,
  checkAuxiliary,
  checkClock,
  checkDeliveries,
  checkDispatcher,
  checkProfiles,
  checkSpace,
} from "./setting.js";

const LOOKS: readonly DoctorCheck[] = [
  ...INVARIANTS,
  checkBoardSecrets,
  checkDispatcher,
  checkAuxiliary,
  checkProfiles,
  checkAssignees,
  checkWorkers,
  checkStrayWorkers,
  checkClaimFiles,
  checkWorkspaces,
  checkAttachments,
  checkDeliveries,
  checkClock,
  checkSpace,
];

/**
 * Is everything about a board as it should be (board part, 19.4)? `fix` repairs what loses nothing and says so; `deep` reads all that was ever
 * stored, where otherwise the oldest events, runs and attachments are left out.
 */
export async function doctor(core: Core, board: BoardSlug, { fix, deep = false }: DoctorOptions): Promise<BoardHealth> {
  const [first, store] = await opened(core, board);
  const checks: Check[] = [first];
  if (store !== undefined) {
    const after = auditCursor(await store.lastSeq(), deep);
    const of: Doctoring = { core, board, store, now: toUnix(core.clock.now()), fix, deep, after };
    for (const one of LOOKS) checks.push(...(await attempt(one, of)));
  }
  checks.push(...(await portsOf(core).otherStores()));
  return { ok: checks.every((check) => check.status !== "fail"), checks };
}

async function opened(core: Core, board: BoardSlug) {
  const name = "store";
  try {
    const store = await core.reading(board);
    if (store === undefined)
      return [{ name, status: "ok", detail: "not created yet" } satisfies Check, undefined] as const;
    await store.lastSeq();
    return [await filesOf(core, board), store] as const;
  } catch (error) {
    const { message, hint } = toAppError(error);
    return [{ name, status: "fail", detail: message, fix: hint } satisfies Check, undefined] as const;
  }
}

async function filesOf(core: Core, board: BoardSlug): Promise<Check> {
  const files = await portsOf(core).files(board);
  if (files !== undefined && files.findings.length > 0)
    return {
      name: "store",
      status: "warn",
      detail: `opens, but ${files.findings.join("; ")}`,
      fix: "back up the home, then run a command that writes to the board: it creates a new checkpoint",
    };
  if (files === undefined || files.lost.length === 0) return { name: "store", status: "ok", detail: "opens" };
  return {
    name: "store",
    status: "warn",
    detail: `opens, but recovery removed ${files.lost.length} damaged part(s): ${files.lost.slice(0, 3).join(", ")}`,
    fix: `see the notes in ${files.folder}, then delete that folder`,
  };
}

async function attempt(one: DoctorCheck, of: Doctoring): Promise<readonly Check[]> {
  try {
    return [await one(of)].flat();
  } catch (error) {
    const { message, hint } = toAppError(error);
    return [{ name: "check", status: "fail", detail: message, fix: hint }];
  }
}
