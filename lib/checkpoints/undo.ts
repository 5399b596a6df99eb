import { join } from "node:path";
import { AppError } from "../base/errors.js";
import type { SessionId, TurnId } from "../base/units.js";
import type { RestoredFiles, UndoableFiles } from "../contracts/chat/turn-files.js";
import type { RestoreReport } from "../contracts/owner/checkpoints.js";
import { type Chosen, choose } from "./choose.js";
import { CHECKPOINTS } from "./keys.js";
import type { CheckpointParts } from "./parts.js";
import { planFor, rollBack } from "./rollback.js";
import { tellRestored } from "./tell.js";

/** For each directory the state before the first of these turns. */
function statesBefore({ store }: CheckpointParts, lineage: SessionId, turns: readonly TurnId[]): readonly Chosen[] {
  const wanted: ReadonlySet<string> = new Set(turns);
  return store.projects().flatMap((project) => {
    const header = project.headers.find(({ uses }) =>
      uses.some((use) => use.kind === "before" && use.lineage === lineage && use.turn !== null && wanted.has(use.turn)),
    );
    return header === undefined ? [] : [{ project, header }];
  });
}

/** Files that these turns changed and that can come back. */
export async function undoable(
  parts: CheckpointParts,
  lineage: SessionId,
  turns: readonly TurnId[],
): Promise<UndoableFiles> {
  const paths: string[] = [];
  const partial: string[] = [];
  for (const { project, header } of statesBefore(parts, lineage, turns)) {
    const { steps } = await planFor(parts, project, header, { lineage });
    const files = steps.filter(({ now, was }) => (was ?? now)?.kind !== "directory");
    paths.push(...files.map(({ path }) => join(project.record.directory, path)));
    if (header.partial !== undefined) partial.push(project.record.directory);
  }
  return { files: paths, partial };
}

/** Each directory goes back to where it was before the turns. What others changed stays. @throws E_INVALID when nothing is kept */
export async function undoFiles(
  parts: CheckpointParts,
  lineage: SessionId,
  turns: readonly TurnId[],
): Promise<RestoredFiles> {
  const states = statesBefore(parts, lineage, turns);
  if (states.length === 0 && !parts.deps.config.get(CHECKPOINTS.enabled))
    throw new AppError("E_INVALID", "cannot restore files: no checkpoint", {
      hint: "agent --checkpoints or the checkpoints.enabled setting enables checkpoints; /undo --chat removes the exchange only",
    });
  return together(parts, states, lineage);
}

/** Undo an undo: the states that were kept before it. @throws E_NOT_FOUND */
export async function redoFiles(parts: CheckpointParts, lineage: SessionId, token: string): Promise<RestoredFiles> {
  const ids = token.split(",").filter((id) => id !== "");
  return together(
    parts,
    ids.map((id) => choose(parts.store, id, undefined)),
    lineage,
  );
}

async function together(parts: CheckpointParts, states: readonly Chosen[], lineage: SessionId): Promise<RestoredFiles> {
  const reports: RestoreReport[] = [];
  for (const { project, header } of states)
    reports.push(await rollBack(parts, { project, header, force: false, lineage, origin: { lineage, session: null } }));
  await tellRestored(parts, reports, lineage);
  const paths = (of: (report: RestoreReport) => readonly string[]) =>
    reports.flatMap((report) => of(report).map((path) => join(report.directory, path)));
  const partial = reports.flatMap(({ checkpoint, directory }) => (checkpoint.partial === undefined ? [] : [directory]));
  return {
    restored: paths(({ restored }) => restored),
    removed: paths(({ removed }) => removed),
    skipped: reports.flatMap(({ directory, skipped, failed }) =>
      [...skipped, ...failed].map(({ path, why }) => ({ path: join(directory, path), reason: why })),
    ),
    ...(partial.length === 0 ? {} : { partial }),
    token: reports.map(({ before }) => before).join(","),
  };
}
