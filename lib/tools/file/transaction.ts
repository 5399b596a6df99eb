import { removeFile } from "../../base/fs/files.js";
import { type Encoding, PLAIN_UTF8, toUnixLineEnds } from "../run/codec.js";
import type { EditPlace } from "./editor-text.js";
import {
  type FileBeforeEdit,
  holdsBinary,
  newFileMode,
  readForEdit,
  type WrittenFile,
  writeExactBytes,
  writeProblem,
  writeText,
} from "./store.js";
import { applyHunks, type PatchOperation } from "./v4a.js";

/** A path as it will be; `undefined` text: it is gone. */
interface Planned {
  readonly before: FileBeforeEdit;
  text: string | undefined;
  /** Bytes of a file that only moves. */
  bytes: Buffer | undefined;
  encoding: Encoding;
  /** As the disk has the text that it was made from. */
  disk: Encoding;
  mode: number | undefined;
  /** It was made from a text of the editor that the disk does not have. */
  unsaved: boolean;
  /** Once it is carried out. */
  written: WrittenFile | undefined;
}

export interface PatchPlan {
  readonly files: ReadonlyMap<string, Planned>;
  readonly created: readonly string[];
  readonly deleted: readonly string[];
  readonly moved: readonly { readonly from: string; readonly to: string }[];
  readonly errors: readonly string[];
}

/** Check all operations against simulated contents. Nothing is written. `resolve` maps a header to the guarded path. */
export async function plan(
  operations: readonly PatchOperation[],
  resolve: (path: string) => string,
  place: EditPlace,
): Promise<PatchPlan> {
  const files = new Map<string, Planned>();
  const made = {
    created: new Set<string>(),
    deleted: new Set<string>(),
    moved: [] as { from: string; to: string }[],
    errors: [] as string[],
  };
  const look = async (given: string): Promise<Planned | string> => {
    const path = resolve(given);
    const known = files.get(path);
    if (known !== undefined) return known;
    const before = await readForEdit(path, place);
    if (typeof before === "string") return before;
    const text = before.facts === undefined ? undefined : toUnixLineEnds(before.decoded.text);
    const planned: Planned = {
      before,
      text,
      bytes: undefined,
      encoding: before.decoded.encoding,
      disk: before.held?.encoding ?? before.decoded.encoding,
      mode: before.facts?.mode,
      unsaved: before.held?.unsaved === true,
      written: undefined,
    };
    files.set(path, planned);
    return planned;
  };
  for (const operation of operations) {
    const file = await look(operation.path);
    const target = "to" in operation && operation.to !== undefined ? await look(operation.to) : undefined;
    const error =
      typeof file === "string" ? file : typeof target === "string" ? target : simulate(operation, file, target, made);
    if (error !== undefined) made.errors.push(`${operation.path}: ${error}`);
  }
  return { files, created: [...made.created], deleted: [...made.deleted], moved: made.moved, errors: made.errors };
}

interface Made {
  readonly created: Set<string>;
  readonly deleted: Set<string>;
  readonly moved: { from: string; to: string }[];
}

function simulate(
  operation: PatchOperation,
  file: Planned,
  target: Planned | undefined,
  made: Made,
): string | undefined {
  const { path } = file.before;
  if (operation.kind === "add") {
    if (file.text !== undefined) return "Add File on an existing file; use Update File";
    file.text = operation.text;
    file.bytes = undefined;
    file.encoding = PLAIN_UTF8;
    file.disk = PLAIN_UTF8;
    file.unsaved = false;
    made.created.add(path);
    return undefined;
  }
  if (file.text === undefined) return "the file does not exist";
  if (operation.kind === "delete") {
    file.text = undefined;
    made.deleted.add(path);
    return undefined;
  }
  if (operation.kind === "update") {
    if (holdsBinary(file.before)) return "it is a binary file";
    const applied = applyHunks(file.text, operation.hunks);
    if ("error" in applied) return applied.error;
    if (applied.text !== file.text) file.bytes = undefined;
    file.text = applied.text;
  }
  return target === undefined ? undefined : move(file, target, made);
}

function move(file: Planned, target: Planned, made: Made): string | undefined {
  if (target.text !== undefined) return `Move onto an existing file: ${target.before.path}`;
  target.text = file.text;
  target.encoding = file.encoding;
  target.disk = file.disk;
  target.unsaved = file.unsaved;
  target.mode = file.mode;
  const untouched = file.text === toUnixLineEnds(file.before.decoded.text);
  target.bytes = file.bytes ?? (untouched && !file.unsaved ? file.before.bytes : undefined);
  file.text = undefined;
  file.bytes = undefined;
  made.moved.push({ from: file.before.path, to: target.before.path });
  return undefined;
}

/** Write the plan. When a write fails midway, everything written before is put back; the string says what failed, and what could not be put back. */
export async function carryOut(planned: PatchPlan, place: EditPlace): Promise<string | undefined> {
  const done: Planned[] = [];
  const entries = [...planned.files.values()].filter(isChanged);
  // What is new is written before anything old goes away.
  const ordered = [
    ...entries.filter((file) => file.text !== undefined),
    ...entries.filter((file) => file.text === undefined),
  ];
  for (const file of ordered) {
    const failed = await writeOne(file, place);
    if (failed === undefined) {
      done.push(file);
      continue;
    }
    const left = await undoAll(done, place);
    if (left.length > 0) return `${failed} Changes of this patch that could not be undone: ${left.join(", ")}.`;
    return `${failed} All ${failed.startsWith("It is unknown") ? "other " : ""}changes of this patch were undone.`;
  }
  return undefined;
}

function isChanged(file: Planned): boolean {
  if (file.text === undefined) return file.before.facts !== undefined;
  return file.before.facts === undefined || file.text !== toUnixLineEnds(file.before.decoded.text);
}

async function writeOne(file: Planned, place: EditPlace): Promise<string | undefined> {
  const { path, bytes: before } = file.before;
  const { text, bytes, encoding, disk, unsaved } = file;
  const mode = file.mode ?? newFileMode();
  try {
    if (text === undefined) {
      await removeFile(path);
      return undefined;
    }
    const form = { encoding, disk, mode, unsaved };
    const written =
      bytes === undefined
        ? await writeText({ path, text, before, form }, place)
        : await writeExactBytes(path, bytes, mode);
    if (typeof written === "string") return written;
    file.written = written;
    return undefined;
  } catch (error) {
    if (place.signal.aborted) return `Interrupted before ${path} was written.`;
    return writeProblem(path, error);
  }
}

/** @returns paths that were not put back. An editor that does not answer once is not asked again. */
async function undoAll(done: readonly Planned[], place: EditPlace): Promise<readonly string[]> {
  const left: string[] = [];
  for (const file of done.toReversed()) if (left.length > 0 || !(await undo(file, place))) left.push(file.before.path);
  return left;
}

async function undo({ before, text }: Planned, { ports }: EditPlace): Promise<boolean> {
  const { path, facts, bytes, decoded, held } = before;
  if (facts === undefined) {
    await removeFile(path);
    return true;
  }
  if (held === undefined || text === undefined || ports.editor?.writes(path) !== true)
    return typeof (await writeExactBytes(path, bytes, facts.mode)) !== "string";
  // It is put back although the call was interrupted.
  const place = { ports, signal: new AbortController().signal };
  const { encoding } = decoded;
  const form = { encoding, disk: held.encoding, mode: facts.mode, unsaved: held.unsaved };
  return typeof (await writeText({ path, text: decoded.text, before: bytes, form }, place)) !== "string";
}
