import { removeFile } from "../../base/fs/files.js";
import { type Decoded, encode, PLAIN_UTF8, unixEnds } from "../run/codec.js";
import { type Current, current, holdsBinary, writeExactBytes, writeProblem } from "./store.js";
import { applyHunks, type PatchOperation } from "./v4a.js";

/** A path as it will be; `undefined` text: it is gone. */
interface Planned {
  readonly before: Current;
  text: string | undefined;
  /** Bytes of a file that only moves. */
  bytes: Buffer | undefined;
  encoding: Decoded["encoding"];
  mode: number | undefined;
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
    const before = await current(path);
    if (typeof before === "string") return before;
    const text = before.facts === undefined ? undefined : unixEnds(before.decoded.text);
    const planned: Planned = {
      before,
      text,
      bytes: undefined,
      encoding: before.decoded.encoding,
      mode: before.facts?.mode,
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
  target.mode = file.mode;
  const untouched = file.text === unixEnds(file.before.decoded.text);
  target.bytes = file.bytes ?? (untouched ? file.before.bytes : undefined);
  file.text = undefined;
  file.bytes = undefined;
  made.moved.push({ from: file.before.path, to: target.before.path });
  return undefined;
}

/** Write the plan. When a write fails midway, everything written before is put back; the string says what failed. */
export async function carryOut(planned: PatchPlan): Promise<string | undefined> {
  const done: Planned[] = [];
  const entries = [...planned.files.values()].filter(isChanged);
  // What is new is written before anything old goes away.
  const ordered = [
    ...entries.filter((file) => file.text !== undefined),
    ...entries.filter((file) => file.text === undefined),
  ];
  for (const file of ordered) {
    const failed = await writeOne(file);
    if (failed === undefined) {
      done.push(file);
      continue;
    }
    for (const one of done.reverse()) await undo(one);
    return failed;
  }
  return undefined;
}

function isChanged(file: Planned): boolean {
  if (file.text === undefined) return file.before.facts !== undefined;
  return file.before.facts === undefined || file.text !== unixEnds(file.before.decoded.text);
}

async function writeOne(file: Planned): Promise<string | undefined> {
  const { path } = file.before;
  try {
    if (file.text === undefined) {
      await removeFile(path);
      return undefined;
    }
    const written = await writeExactBytes(
      path,
      file.bytes ?? encode(file.text, file.encoding),
      file.mode ?? 0o666 & ~process.umask(),
    );
    return typeof written === "string" ? written : undefined;
  } catch (error) {
    return writeProblem(path, error);
  }
}

async function undo(file: Planned): Promise<void> {
  const { path, facts, bytes } = file.before;
  if (facts === undefined) await removeFile(path);
  else await writeExactBytes(path, bytes, facts.mode);
}
