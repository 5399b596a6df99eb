import { join } from "node:path";
import { AppError } from "../base/errors.js";
import type {
  CheckpointOrigin,
  PartialReason,
  TakeCheckpoint,
  TakenCheckpoint,
} from "../contracts/owner/checkpoints.js";
import { innerPath } from "../safety/paths/paths.js";
import { type Captured, captureContents } from "./capture.js";
import { changedPaths, contentOf, type Manifest, namedPaths, sameState } from "./manifest.js";
import { type ChangingTurn, type CheckpointParts, captureOptions, newestState, noteLarge, nowOf } from "./parts.js";
import { isNever } from "./place.js";
import { limitStore } from "./prune.js";
import { type CheckpointHeader, isOnlyEnd, type NewUse, toRecord } from "./records.js";
import { noteChanges, settleCutOffTurns } from "./residue.js";
import type { Project } from "./store.js";

/** Keep a state for a turn: before a change, or after its end. */
export async function takeCheckpoint(
  parts: CheckpointParts,
  input: TakeCheckpoint,
  signal?: AbortSignal,
): Promise<TakenCheckpoint> {
  const { directory, origin, kind } = input;
  if (isNever(directory, parts.deps.env, parts.deps.home)) return { made: false };
  const named = input.named.flatMap((path) => inside(directory, path));
  const round = `${origin.turn} ${origin.round} ${directory}`;
  const before = kind === "before" ? parts.rounds.get(round) : undefined;
  const project = parts.store.projectOf(directory);
  if (before !== undefined && project?.headers.some(({ id }) => id === before))
    return nameMore(parts, project, before, { named, signal });
  const { session, turn } = origin;
  const asked = origin.answersTo ?? origin;
  const use = {
    kind,
    reason: input.reason,
    lineage: asked.lineage,
    session,
    turn: asked.turn,
    round: origin.round,
    at: nowOf(parts),
  };
  const taken = await record(parts, { directory, named, use, signal });
  if (kind === "before" && isKept(taken)) {
    parts.rounds.set(round, taken.header.id);
    await begin(parts, taken, origin);
  }
  const changed = kind === "after" ? { changed: finish(parts, taken, { lineage: asked.lineage, turn }) } : {};
  if (isKept(taken)) await limitStore(parts, taken.project, kind === "after");
  return { ...toTaken(parts, taken), ...changed };
}

function toTaken(parts: CheckpointParts, { header, project, made, captured }: Recorded): TakenCheckpoint {
  const { directory } = project.record;
  const { partial } = captured;
  const notice =
    partial === undefined || parts.told.has(directory)
      ? {}
      : { notice: `${directory} ${WHY_PARTIAL[partial]}: checkpoints only include files changed by file tools` };
  if (partial !== undefined) parts.told.add(directory);
  return { ...(header === undefined ? {} : { checkpoint: toRecord(header, directory) }), made, ...notice };
}

const WHY_PARTIAL: Readonly<Record<PartialReason, string>> = {
  entries: "has more than 50,000 entries",
  time: "takes longer than 2 s to scan",
  size: "exceeds checkpoints.max_total_size_mb",
};

/** Nothing of the directory can be kept. */
export const toTooLargeError = (directory: string): AppError =>
  new AppError("E_INVALID", `${directory} is too large for a full checkpoint, and no file tool has used a file in it`, {
    hint: "use a smaller directory, or exclude files in .gitignore",
  });

/** A path relative to the directory; nothing for one that is not below it. */
function inside(directory: string, path: string): readonly string[] {
  const inner = innerPath(path, directory);
  return inner === undefined ? [] : [inner];
}

export interface Recording {
  readonly directory: string;
  readonly named: readonly string[];
  readonly use: NewUse;
  readonly signal?: AbortSignal | undefined;
}

export interface Recorded {
  readonly project: Project;
  /** Undefined: the directory is too large, and nothing of it is named. */
  readonly header: CheckpointHeader | undefined;
  readonly captured: Captured;
  /** False: nothing had changed since it was made. */
  readonly made: boolean;
}

export type KeptCheckpoint = Recorded & { readonly header: CheckpointHeader };

export const isKept = (recorded: Recorded): recorded is KeptCheckpoint => recorded.header !== undefined;

/** The state of a directory now, as a new checkpoint or as one more use of the newest. */
export async function record(parts: CheckpointParts, { directory, named, use, signal }: Recording): Promise<Recorded> {
  const { store, deps } = parts;
  if (isNever(directory, deps.env, deps.home))
    throw new AppError(
      "E_INVALID",
      `checkpoints are not made of ${directory}: it is a home directory or the root of the file system`,
      {
        hint: "use a project directory",
      },
    );
  const known = await newestState(parts, store.projectOf(directory));
  const project = store.begin(directory, use.at);
  const captured = await captureContents(captureOptions(parts, directory, { named, known, signal }), store.contents);
  noteLarge(parts, directory, captured.partial);
  if (captured.partial !== undefined && captured.manifest.size === 0) {
    if (project.headers.length === 0) store.dropProject(project);
    return { project, header: undefined, captured, made: false };
  }
  if (use.at - project.record.last_touch > TOUCH_MS) store.touch(project, use.at);
  const head = project.headers.at(-1);
  if (head !== undefined && known !== undefined && isUnchanged(head, known, captured)) {
    if (namedPaths(captured.manifest).some((path) => !known.has(path)))
      await store.amend(project, head.id, merged(known, captured.manifest));
    return { project, header: usedAgain(parts, project, head, use), captured, made: false };
  }
  const partial = captured.partial === undefined ? {} : { partial: captured.partial };
  return {
    project,
    header: await store.add(project, { manifest: captured.manifest, use, ...partial }),
    captured,
    made: true,
  };
}

const TOUCH_MS = 60 * 60_000;

function isUnchanged(head: CheckpointHeader, known: Manifest, { manifest, partial }: Captured): boolean {
  if (partial === undefined) return head.partial === undefined && changedPaths(known, manifest).length === 0;
  return head.partial !== undefined && [...manifest].every(([path, entry]) => sameState(known.get(path), entry));
}

/** One use for each turn and kind is enough to know what it was good for. */
function usedAgain(
  { store }: CheckpointParts,
  project: Project,
  head: CheckpointHeader,
  use: NewUse,
): CheckpointHeader {
  const known = use.turn !== null && head.uses.some((one) => one.turn === use.turn && one.kind === use.kind);
  // The end of a turn that changed nothing tells nothing.
  if (known || (use.kind === "after" && !isOnlyEnd(head))) return head;
  return store.use(project, head.id, use);
}

/** What a checkpoint knows, and what is known beside. */
function merged(known: Manifest, more: Manifest): Manifest {
  const all = new Map(known);
  for (const [path, entry] of more) if (!all.has(path)) all.set(path, entry);
  return all;
}

interface More {
  readonly named: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** The round has its checkpoint: paths that it does not know yet are added as they are now. */
async function nameMore(
  parts: CheckpointParts,
  project: Project,
  id: string,
  { named, signal }: More,
): Promise<TakenCheckpoint> {
  const { store } = parts;
  const { directory } = project.record;
  const header = project.headers.find((one) => one.id === id);
  const manifest = header && (await store.manifest(project, header));
  const missing = named.filter((path) => manifest?.has(path) === false);
  if (header === undefined || manifest === undefined || missing.length === 0)
    return { made: false, ...(header && { checkpoint: toRecord(header, directory) }) };
  const options = {
    ...captureOptions(parts, directory, { signal }),
    named: new Set(missing),
    tooLarge: "entries" as const,
  };
  const { manifest: more } = await captureContents(options, store.contents);
  await store.amend(project, id, merged(manifest, more));
  return { made: false, checkpoint: toRecord(header, directory) };
}

/** Age after which a turn of another process that has kept nothing may be dead. */
const SILENT_MS = 15 * 60_000;

/** From the first state before a change on, what changes is the turn's. */
async function begin(
  parts: CheckpointParts,
  { project, header, captured }: KeptCheckpoint,
  { turn, elsewhere }: CheckpointOrigin,
): Promise<void> {
  const { directory } = project.record;
  const until = elsewhere === true ? parts.deps.clock.mono() + SILENT_MS : undefined;
  const turns = parts.running.get(directory) ?? new Map<string, ChangingTurn>();
  parts.running.set(directory, turns);
  const known = turns.get(turn);
  if (known) {
    turns.set(turn, { ...known, until });
    return;
  }
  const first = Math.max(0, ...header.uses.map(({ n }) => n));
  await settleCutOffTurns(parts, project, captured, first);
  turns.set(turn, { baseline: captured.manifest, first, until });
}

/** @returns absolute paths that the turn changed, with what is there now */
function finish(
  parts: CheckpointParts,
  { project, captured }: Recorded,
  { lineage, turn }: { readonly lineage: string; readonly turn: string },
): Readonly<Record<string, string>> {
  const { directory } = project.record;
  const turns = parts.running.get(directory);
  const running = turns?.get(turn);
  if (running === undefined) return {};
  turns?.delete(turn);
  const paths = noteChanges(parts, project, { baseline: running.baseline, now: captured, lineage });
  return Object.fromEntries(paths.map((path) => [join(directory, path), contentOf(captured.manifest.get(path))]));
}
