import { join } from "node:path";
import { AppError, toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { moveDir } from "../../base/fs/directory.js";
import { placeDraft, removeDurably, removeEmptyAbove, writeDraft } from "../../base/fs/durable.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import type { DirMove, FileChange } from "../../contracts/skills/writes.js";
import { checkWay } from "./places.js";
import { idOf, sameBytes, type VersionRecord } from "./record.js";
import { dirStampOf, skillFileAt } from "./state.js";
import type { VersionStore } from "./versions.js";

export interface ApplyDeps {
  /** Real path of `skills/`. */
  readonly root: string;
  readonly versions: VersionStore;
  readonly usage: () => Promise<SkillUsage>;
  /** Forget a change that waited, and now is made. */
  readonly settled: (pending: string) => void;
}

/**
 * Make a change under the lock of the home. All new bytes are on the disk before the first file is replaced, so that a full disk stops it at the
 * start. From the record on, a kill is made good by `finish`: the next writer completes the change. A step that fails is taken back.
 *
 * @throws E_CONFLICT when something is not as it was planned on, E_STORE, E_STORE_FULL
 */
export async function carryOutWrite(record: VersionRecord, deps: ApplyDeps): Promise<void> {
  const { versions } = deps;
  for (const file of record.files) checkFile(file, deps.root);
  for (const move of record.moves) checkMove(move, record.moves, deps.root);
  try {
    record.files.forEach(({ after }, index) => {
      if (after !== null) writeDraft(versions.draft(String(index)), after.bytes, after.mode);
    });
    faultPoint("skill.drafted");
    versions.begin(idOf(record));
    faultPoint("skill.begun");
    versions.write(record);
    faultPoint("skill.recorded");
  } catch (error) {
    versions.done();
    throw readable(error);
  }
  try {
    record.files.forEach((file, index) => {
      step(file, versions.draft(String(index)), deps.root);
    });
    for (const move of record.moves) moveStep(move, deps.root);
  } catch (error) {
    takeBack(record, deps);
    throw readable(error);
  }
  await settle(record, deps);
}

/** Complete a change that was cut short by the end of its process. What was edited meanwhile stays as it is. */
export async function finish(deps: ApplyDeps): Promise<void> {
  const { root, versions } = deps;
  const id = versions.begun();
  if (id === undefined) return;
  let record: VersionRecord;
  try {
    record = versions.read(id);
  } catch {
    versions.done(); // it had not begun: nothing of it was written
    return;
  }
  record.files.forEach((file, index) => {
    if (!sameBytes(skillFileAt(root, file.path), file.before)) return;
    if (file.after !== null) writeDraft(versions.draft(String(index)), file.after.bytes, file.after.mode);
    step(file, versions.draft(String(index)), root);
  });
  for (const move of record.moves) {
    const waits = inspectPath(join(root, move.from)) !== undefined && inspectPath(join(root, move.to)) === undefined;
    if (waits) moveStep(move, root);
  }
  await settle(record, deps);
}

async function settle(record: VersionRecord, { versions, usage, settled }: ApplyDeps): Promise<void> {
  const uses = await usage();
  for (const { name, after } of record.uses) await uses.change(name, () => after ?? undefined);
  for (const name of record.patched) await uses.count(name, "patches");
  if (record.pending !== undefined) settled(record.pending);
  versions.prune(record.name);
  faultPoint("skill.settling");
  versions.done();
  versions.clear();
}

/** Put a file in its place, or remove it. */
function step({ path, after }: FileChange, draft: string, root: string): void {
  if (after === null) removeDurably(join(root, path), root);
  else placeDraft(draft, join(root, path));
  faultPoint("skill.file-done");
}

function moveStep({ from, to }: DirMove, root: string): void {
  moveDir(join(root, from), join(root, to));
  removeEmptyAbove(join(root, from), root);
}

/** A step failed: those before it are taken back. Where even that fails, the next writer completes the change. */
function takeBack(record: VersionRecord, { root, versions }: ApplyDeps): void {
  for (const { from, to } of record.moves.toReversed()) {
    const moved = inspectPath(join(root, from)) === undefined && inspectPath(join(root, to)) !== undefined;
    if (moved) moveStep({ from: to, to: from, stamp: "" }, root);
  }
  for (const file of record.files) {
    const now = skillFileAt(root, file.path);
    if (sameBytes(now, file.before) || !sameBytes(now, file.after)) continue;
    if (file.before !== null) writeDraft(versions.draft("back"), file.before.bytes, file.before.mode);
    step({ ...file, after: file.before }, versions.draft("back"), root);
  }
  versions.remove(record);
  versions.done();
}

function checkFile({ path, before }: FileChange, root: string): void {
  checkWay(root, path);
  if (!sameBytes(skillFileAt(root, path), before))
    throw changed(path, before === null ? "is there already" : "has changed");
}

function checkMove({ from, to, stamp }: DirMove, all: readonly DirMove[], root: string): void {
  checkWay(root, `${from}/.`);
  checkWay(root, to);
  const makesRoom = all.some((other) => other.from === to);
  if (!makesRoom && inspectPath(join(root, to)) !== undefined) throw changed(to, "is there already");
  if (dirStampOf(root, from) !== stamp) throw changed(from, "has changed");
}

const changed = (path: string, what: string) =>
  new AppError("E_CONFLICT", `skills/${path} ${what} since this change was made: nothing is written`, {
    path,
    hint: "read it again, then repeat the change",
  });

/** A refusal of the system with what to do about it. */
function readable(error: unknown): AppError {
  const known = toAppError(error);
  if (known.code !== "E_STORE" || known.data["hint"] !== undefined) return known;
  return new AppError(
    "E_STORE",
    `${known.message}: nothing is changed`,
    { ...known.data, hint: "make the skills directory writable for you, then retry" },
    error,
  );
}
