import { basename, dirname, join, relative } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { Ids } from "../../base/ids.js";
import type { SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import type {
  DirMove,
  FileChange,
  FileState,
  SkillEdit,
  SkillPlan,
  WriteFinding,
  WrittenBy,
} from "../../contracts/skills/writes.js";
import { isBelow } from "../../safety/paths/paths.js";
import { replaceInText } from "../../tools/file/replace.js";
import { decode, encode, isBinary, toUnixLineEnds } from "../../tools/run/codec.js";
import { diffOf } from "./diff.js";
import { type KnownNames, skillDirs } from "./named.js";
import { categoryParts, checkFilePath, checkSkillName, checkWay } from "./places.js";
import { sameBytes } from "./record.js";
import { dirStampOf, FILE_MAX, FILES_MAX, SKILL_BYTES_MAX, skillFileAt, treeOf } from "./state.js";
import { checkNewText, checkSkillText } from "./text.js";
import { VERSIONS } from "./versions.js";

export interface PlanDeps {
  /** Real path of `skills/`. */
  readonly root: string;
  readonly ids: Pick<Ids, "hex">;
  readonly usage: SkillUsage;
  readonly catalog: SkillsApi;
  readonly known: KnownNames;
}

/** Directory of archived skills below `skills/`. */
const ARCHIVE = ".archive";
const CHANGES_MAX = 200;
const NEW_MODE = 0o600;
const MAIN = "SKILL.md";

/** Changes that have been planned so far: later ones see what they leave. */
interface Draft {
  readonly deps: PlanDeps;
  readonly by: WrittenBy;
  readonly files: Map<string, FileChange>;
  readonly moves: Map<string, DirMove>;
  readonly findings: WriteFinding[];
  readonly names: Set<string>;
  strategy?: string;
}

type Of<A extends SkillEdit["action"]> = Extract<SkillEdit, { readonly action: A }>;

/** @see SkillWrites.plan */
export async function planChanges(
  changes: readonly SkillEdit[],
  by: WrittenBy,
  deps: PlanDeps,
): Promise<Omit<SkillPlan, "verdict">> {
  const [first] = changes;
  if (first === undefined || changes.length > CHANGES_MAX)
    throw invalid(`one change of skills has 1 to ${CHANGES_MAX} parts`, "split it");
  const draft: Draft = { deps, by, files: new Map(), moves: new Map(), findings: [], names: new Set() };
  for (const change of changes) {
    checkSkillName(change.name);
    draft.names.add(change.name);
    await add(change, draft);
  }
  const files = [...draft.files.values()].filter(({ before, after }) => !sameBytes(before, after));
  const moves = [...draft.moves.values()];
  if (files.length + moves.length === 0) throw invalid("nothing would change", "give another text");
  return {
    changes,
    summary: summaryOf(changes),
    name: first.name,
    names: [...draft.names],
    files,
    moves,
    diff: [await diffOf(files, moves), await removed(moves, deps.root)].filter((part) => part !== "").join("\n"),
    findings: draft.findings,
    ...(draft.strategy === undefined ? {} : { strategy: draft.strategy }),
  };
}

const invalid = (message: string, hint: string) => new AppError("E_INVALID", message, { hint });

async function add(change: SkillEdit, draft: Draft): Promise<void> {
  switch (change.action) {
    case "create":
      return create(change, draft);
    case "restore":
      return restore(change, draft);
    case "delete":
    case "archive":
      return takeAway(change, draft);
    default:
      return edit(change, await locate(change, draft), draft);
  }
}

async function create({ name, category, content }: Of<"create">, draft: Draft): Promise<void> {
  const parts = categoryParts(category);
  const dir = [...parts, name].join("/");
  const { root } = draft.deps;
  const [same] = await found(name, draft);
  if (same !== undefined)
    throw new AppError("E_CONFLICT", `skill ${name} exists already: skills/${same}`, {
      hint: "change it with patch or edit, or choose another name",
    });
  checkWay(root, `${dir}/${MAIN}`);
  const above = parts
    .map((_, index) => parts.slice(0, index + 1).join("/"))
    .find((at) => fileNow(`${at}/${MAIN}`, draft));
  if (above !== undefined)
    throw invalid(`skills/${above} is a skill, not a category`, "leave category out, or choose another");
  if (inspectPath(join(root, dir)) !== undefined && treeOf(join(root, dir)).length > 0)
    throw new AppError("E_CONFLICT", `skills/${dir} exists already, without a SKILL.md`, {
      hint: "choose another name; a directory with that name has other files or skills",
    });
  checkSkillText(content, name);
  put(`${dir}/${MAIN}`, Buffer.from(content), draft);
}

async function restore({ name }: Of<"restore">, draft: Draft): Promise<void> {
  const { root } = draft.deps;
  const [kept] = await skillDirs(join(root, ARCHIVE), name, draft.deps.known);
  if (kept === undefined)
    throw new AppError("E_NOT_FOUND", `no archived skill ${name}`, { hint: "agent curator list-archived lists them" });
  const to = relative(join(root, ARCHIVE), kept);
  const [same] = await found(name, draft);
  if (same !== undefined)
    throw new AppError("E_CONFLICT", `skill ${name} exists already: skills/${same}`, {
      hint: "rename or remove it, then restore the archived one",
    });
  move({ from: `${ARCHIVE}/${to}`, to }, draft);
}

async function takeAway(change: Of<"delete"> | Of<"archive">, draft: Draft): Promise<void> {
  const { name, action, absorbed_into: into } = change;
  const dir = await locate(change, draft);
  if (into !== undefined) {
    checkSkillName(into);
    if (into === name || (await found(into, draft)).length === 0)
      throw new AppError("E_NOT_FOUND", `absorbed_into: the home has no other skill ${into}`, {
        hint: "create it first, then remove the skill that it takes the place of",
      });
  }
  if ([...draft.files.keys()].some((path) => isBelow(path, dir)))
    throw invalid(`${name} is changed and removed at once`, "make two changes of it");
  const hex = draft.deps.ids.hex(6);
  const to = action === "delete" ? `${VERSIONS}/.removed/${name}-${hex}` : `${ARCHIVE}/${dir}`;
  const older = inspectPath(join(draft.deps.root, to)) !== undefined;
  if (older) move({ from: to, to: `${ARCHIVE}/.replaced/${hex}/${dir}` }, draft);
  move({ from: dir, to }, draft);
}

function edit(change: Of<"patch" | "edit" | "write_file" | "remove_file">, dir: string, draft: Draft): void {
  const given = "file_path" in change ? change.file_path : undefined;
  const inner = given === undefined || (change.action === "patch" && given === MAIN) ? MAIN : checkFilePath(given);
  const path = `${dir}/${inner}`;
  checkWay(draft.deps.root, path);
  const before = fileNow(path, draft);
  if (before === null && (change.action === "patch" || change.action === "remove_file"))
    throw missing(inner, dir, draft);
  if (change.action === "remove_file") {
    remember(path, { before, after: null }, draft);
    return;
  }
  const after = textAfter(change, { path, before }, draft);
  if (inner === MAIN) checkSkillText(after.toString("utf8"), change.name);
  else if (after.length > FILE_MAX)
    throw new AppError("E_TOO_LARGE", `${inner} would be larger than ${FILE_MAX >> 20} MiB`, { hint: "split it" });
  put(path, after, draft);
  if (before === null) checkRoom(dir, after.length, draft);
}

function textAfter(
  change: Of<"patch" | "edit" | "write_file">,
  at: { readonly path: string; readonly before: FileState | null },
  draft: Draft,
): Buffer {
  if (change.action === "edit") return Buffer.from(change.content);
  if (change.action === "write_file") return Buffer.from(change.file_content);
  return patched(change, { path: at.path, bytes: Buffer.from(at.before?.bytes ?? []) }, draft);
}

function patched(
  change: Of<"patch">,
  { path, bytes }: { readonly path: string; readonly bytes: Buffer },
  draft: Draft,
): Buffer {
  if (isBinary(path, bytes)) throw invalid(`skills/${path} is a binary file`, "replace it with write_file");
  const { text, encoding } = decode(bytes);
  const { old_string, new_string, replace_all = false } = change;
  const wanted = encoding.crlf
    ? { old_string: toUnixLineEnds(old_string), new_string: toUnixLineEnds(new_string), replace_all }
    : { old_string, new_string, replace_all };
  const replaced = replaceInText(encoding.crlf ? toUnixLineEnds(text) : text, wanted);
  if (!replaced.ok) throw invalid(replaced.error, `skill_view shows the text of skills/${path}`);
  if (replaced.strategy !== "exact") draft.strategy = replaced.strategy;
  return encode(replaced.text, encoding);
}

function missing(inner: string, dir: string, { deps: { root } }: Draft): AppError {
  const files = treeOf(join(root, dir))
    .map(({ path }) => path)
    .slice(0, 20);
  return new AppError("E_NOT_FOUND", `skills/${dir} has no file ${inner}`, { hint: `files: ${files.join(", ")}` });
}

function checkRoom(dir: string, bytes: number, { deps: { root }, files }: Draft): void {
  const there = treeOf(join(root, dir));
  const more = [...files.keys()].filter((path) => isBelow(path, dir)).length;
  const size = there.reduce((sum, entry) => sum + entry.size, bytes);
  if (there.length + more > FILES_MAX || size > SKILL_BYTES_MAX)
    throw new AppError(
      "E_TOO_LARGE",
      `skills/${dir} would have more than ${FILES_MAX} files or ${SKILL_BYTES_MAX >> 20} MiB`,
      { hint: "remove what it no longer needs" },
    );
}

/** A file as the changes so far leave it. */
function fileNow(path: string, { files, deps }: Draft): FileState | null {
  const planned = files.get(path);
  return planned === undefined ? skillFileAt(deps.root, path) : planned.after;
}

function put(path: string, bytes: Buffer, draft: Draft): void {
  const before = fileNow(path, draft);
  const old = before === null ? "" : Buffer.from(before.bytes).toString("utf8");
  const file = `skills/${path}`;
  draft.findings.push(...checkNewText(bytes.toString("utf8"), old, { file, who: draft.by.who }));
  remember(path, { before, after: { bytes, mode: before?.mode ?? NEW_MODE } }, draft);
}

function remember(path: string, { before, after }: Omit<FileChange, "path">, { files }: Draft): void {
  const first = files.get(path);
  files.set(path, { path, before: first === undefined ? before : first.before, after });
}

function move({ from, to }: Pick<DirMove, "from" | "to">, { deps, moves }: Draft): void {
  checkWay(deps.root, `${from}/.`);
  moves.set(from, { from, to, stamp: dirStampOf(deps.root, from) });
}

/** Directories of the home's skills of this name, relative to `skills/`, as the changes so far leave them. */
async function found(name: string, { deps, files, moves }: Draft): Promise<readonly string[]> {
  const dirs = (await skillDirs(deps.root, name, deps.known)).map((dir) => relative(deps.root, dir));
  const made = [...files.values()]
    .filter(({ path, after }) => after !== null && basename(path) === MAIN && basename(dirname(path)) === name)
    .map(({ path }) => dirname(path));
  return [...new Set([...dirs, ...made])].filter((dir) => !moves.has(dir));
}

/** Directory of a skill that may be changed. @throws E_NOT_FOUND, E_AMBIGUOUS, E_FORBIDDEN */
async function locate(
  { name, category }: { readonly name: string; readonly category?: string | undefined },
  draft: Draft,
): Promise<string> {
  const wanted = category === undefined ? undefined : [...categoryParts(category), name].join("/");
  const dirs = (await found(name, draft)).filter((dir) => wanted === undefined || dir === wanted);
  const [dir] = dirs;
  if (dir === undefined) throw await elsewhere(name, category, draft.deps);
  if (dirs.length > 1)
    throw new AppError(
      "E_AMBIGUOUS",
      `several skills are called ${name}: ${dirs.map((one) => `skills/${one}`).join(", ")}`,
      {
        hint: "name the category",
      },
    );
  await checkMaster(name, dir, draft);
  return dir;
}

/** Skills that are not the agent's to change (core part, 28.3 and 29). */
async function checkMaster(name: string, dir: string, { deps, by, files }: Draft): Promise<void> {
  if (by.who === "user" || files.get(`${dir}/${MAIN}`)?.before === null) return;
  const use = deps.usage.of(name);
  if (use.pinned)
    throw new AppError("E_FORBIDDEN", `skill ${name} is pinned: it is not changed or deleted`, {
      hint: `ask the user, who can run agent curator unpin ${name}`,
    });
  if (use.created_by === "hub")
    throw new AppError(
      "E_FORBIDDEN",
      `skill ${name} was installed from the hub: an update would overwrite the change`,
      {
        hint: "copy it: create a skill with another name from its text",
      },
    );
  if (by.who === "curator" && use.created_by !== "agent")
    throw new AppError("E_FORBIDDEN", `skill ${name} was written by a person: the curator does not change it`, {
      hint: "only skills that the agent made are curated",
    });
}

const ELSEWHERE: Readonly<Record<string, string>> = {
  bundled: "comes with the product",
  project: "belongs to the project",
  external: "lies in a directory of skills.external_dirs",
  plugin: "belongs to a plugin",
};

/** Why the home does not have such a skill to change. */
async function elsewhere(name: string, category: string | undefined, { catalog }: PlanDeps): Promise<AppError> {
  try {
    const { origin, dir } = await catalog.find(name, { env: {} });
    if (category !== undefined && ELSEWHERE[origin] === undefined)
      return new AppError("E_NOT_FOUND", `no skill ${name} in category ${category}`, { hint: `it is in ${dir}` });
    if (ELSEWHERE[origin] === undefined)
      return new AppError("E_FORBIDDEN", `skill ${name} is reached through a symbolic link: it is not changed`, {
        hint: `edit it where the link leads: ${dir}`,
      });
    const what = ELSEWHERE[origin];
    return new AppError("E_FORBIDDEN", `skill ${name} ${what} (${dir}): it is not changed or deleted`, {
      hint:
        origin === "project"
          ? "change its files with the file tools, when the user wants that"
          : `copy it: create a skill named ${name} from its text, which is then used in its place`,
    });
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}

/** The texts that go with a skill which is deleted. */
async function removed(moves: readonly DirMove[], root: string): Promise<string> {
  const files: FileChange[] = [];
  for (const { from, to } of moves) {
    if (!isBelow(to, VERSIONS)) continue;
    for (const { path, kind, size } of treeOf(join(root, from)).slice(0, FILES_MAX))
      if (kind === "file" && size <= FILE_MAX) {
        const before = skillFileAt(root, `${from}/${path}`);
        files.push({ path: `${from}/${path}`, before, after: null });
      }
  }
  return diffOf(files, []);
}

const VERBS: Readonly<Record<SkillEdit["action"], string>> = {
  create: "create",
  patch: "change",
  edit: "rewrite",
  write_file: "write",
  remove_file: "remove",
  delete: "delete",
  archive: "archive",
  restore: "restore",
};

function summaryOf(changes: readonly SkillEdit[]): string {
  const lines = changes.map((change) => {
    const file = "file_path" in change && change.file_path !== undefined ? ` ${change.file_path}` : "";
    const into =
      "absorbed_into" in change && change.absorbed_into !== undefined ? ` (absorbed into ${change.absorbed_into})` : "";
    return `${VERBS[change.action]} ${change.name}${file}${into}`;
  });
  const shown = lines.slice(0, 4).join(", ");
  return lines.length > 4 ? `${shown}, and ${lines.length - 4} more` : shown;
}
