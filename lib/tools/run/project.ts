import { dirname, join, relative } from "node:path";
import { readEntryKindSync } from "../../base/fs/bounded-file.js";
import { listDirectorySync } from "../../base/fs/files.js";
import { isSharedDirectory } from "../../base/fs/shared-directory.js";
import { isWithin, type PathScope, realTarget } from "../../safety/paths/paths.js";
import { type ContextKind, PROJECT_KINDS, RULE_FILE } from "./names.js";
import {
  type ContextAnswer,
  type ContextFile,
  type ContextNotice,
  type ContextPath,
  type ContextReading,
  readContextFile,
} from "./read.js";

export interface ProjectContext {
  /** The directory of the repository first, the working directory last. */
  readonly files: readonly ContextFile[];
  readonly notices: readonly ContextNotice[];
}

export interface ProjectQuestion extends Omit<ContextReading, "scope"> {
  readonly cwd: string;
  readonly scope: Omit<PathScope, "project">;
}

/** Directories between the root of a repository and the working directory that are looked at, and rule files of one. The nearest count. */
const DIRECTORIES_AT_MOST = 32;
const RULES_AT_MOST = 32;

/** Files with standing instructions for work in a directory (core part, 7.2): the first kind that is there, root first. */
export function projectContext(question: ProjectQuestion): ProjectContext {
  const cwd = realTarget(question.cwd) ?? question.cwd;
  const root = repositoryOf(cwd) ?? cwd;
  const reading = { ...question, scope: { ...question.scope, project: root } };
  const notices: ContextNotice[] = [];
  for (const kind of PROJECT_KINDS) {
    const answers = ofKind(kind, { root, cwd }, reading);
    notices.push(...answers.flatMap((answer) => answer.notices));
    const files = answers.flatMap(({ file }) => (file === undefined ? [] : [file]));
    if (files.length > 0) return { files, notices: once(notices) };
  }
  return { files: [], notices: once(notices) };
}

/** What is wrong with a directory is reported once, not for every name. */
const once = (notices: readonly ContextNotice[]) =>
  notices.filter((one, at) => notices.findIndex(({ text }) => text === one.text) === at);

/**
 * The nearest directory upwards with `.git`, the directory itself included. One that cannot be looked at counts as without it, and so does one
 * above like `/tmp`, in which any user of the machine may put a `.git`.
 */
export function repositoryOf(cwd: string): string | undefined {
  for (let dir = cwd; ; dir = dirname(dir)) {
    const entry = readEntryKindSync(join(dir, ".git"));
    if ((entry === "directory" || entry === "file") && (dir === cwd || !isSharedDirectory(dir))) return dir;
    if (dirname(dir) === dir) return undefined;
  }
}

interface Place {
  readonly root: string;
  readonly cwd: string;
}

function ofKind(kind: ContextKind, { root, cwd }: Place, reading: ContextReading): readonly ContextAnswer[] {
  const dirs = kind.upwards ? directoriesDown(root, cwd) : [cwd];
  const shown = (dir: string, name: string) => join(relative(root, dir), name);
  const files = dirs.map((dir) => readFirstContext(kind, { dir, shown: (name) => shown(dir, name) }, reading));
  const rules = ruleFiles(kind, { root, cwd });
  const read = rules.slice(0, RULES_AT_MOST).map((place) => readContextFile(place, reading));
  return [...files, ...read, ...(rules.length > RULES_AT_MOST ? [tooMany(rules.length)] : [])];
}

const tooMany = (count: number): ContextAnswer => ({
  notices: [{ level: "warning", text: `of ${count} rule files the first ${RULES_AT_MOST} are used` }],
});

function directoriesDown(root: string, cwd: string): readonly string[] {
  const dirs: string[] = [];
  for (let dir = cwd; isWithin(dir, root) && dirs.length < DIRECTORIES_AT_MOST; dir = dirname(dir)) {
    dirs.unshift(dir);
    if (dirname(dir) === dir) break;
  }
  return dirs;
}

interface Directory {
  readonly dir: string;
  shown(name: string): string;
}

/** The first name of a kind that gives a text in a directory. What is there and cannot be used is reported. */
export function readFirstContext(kind: ContextKind, { dir, shown }: Directory, reading: ContextReading): ContextAnswer {
  const notices: ContextNotice[] = [];
  for (const name of kind.names) {
    const place: ContextPath = { path: join(dir, name), shown: shown(name), frontMatter: kind.frontMatter };
    const answer = readContextFile(place, reading);
    notices.push(...answer.notices);
    if (answer.file !== undefined && answer.file.text !== "") return { file: answer.file, notices };
  }
  return { notices };
}

function ruleFiles(kind: ContextKind, { root, cwd }: Place): readonly ContextPath[] {
  if (kind.rules === undefined) return [];
  const dir = join(cwd, kind.rules);
  if (readEntryKindSync(dir) !== "directory") return [];
  const names = listDirectorySync(dir).flatMap(({ name }) => (RULE_FILE.test(name) ? [name] : []));
  return names
    .toSorted()
    .map((name) => ({ path: join(dir, name), shown: relative(root, join(dir, name)), frontMatter: false }));
}
