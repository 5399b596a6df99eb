import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { expandTilde } from "../../base/tilde.js";
import { UNKNOWN, type Word } from "../options/command-line.js";
import { matchSegment } from "../paths/glob.js";
import { SECRET_NAMES, USER_FILES, USER_TREES } from "../paths/path-lists.js";
import { isSecretFile, isWithin, realTarget, temporaryDirectories } from "../paths/paths.js";
import { followLinks, linksOf, rawPath } from "../writes/links.js";
import { type Call, type ExecScope, hasFlag, operandPath, optionValues } from "../writes/operands.js";

const looked = new WeakMap<ExecScope, Map<string, string>>();

/** Where a path leads; looked up once for a decision. */
function realOf(path: string, scope: ExecScope): string {
  const known = looked.get(scope) ?? new Map<string, string>();
  looked.set(scope, known);
  const real = known.get(path) ?? realTarget(path) ?? path;
  known.set(path, real);
  return real;
}

/** The path, links followed, lies in the project or, unless `project` is asked for, in a temporary directory. Unknown paths count as inside. */
export function isInsideScope(path: string | undefined, scope: ExecScope, where?: "project"): boolean {
  if (path === undefined || /^\/dev\/(null|stdin|stdout|stderr|tty|zero|u?random|fd\/\d+)$/.test(path)) return true;
  const real = realOf(path, scope);
  if (isWithin(real, realOf(scope.project, scope)) || isWithin(real, scope.project)) return true;
  return where === undefined && temporaryDirectories(scope).some((dir) => isWithin(real, dir));
}

/** Programs that only tell of names and modes, never of contents. */
const TELLS_NAMES =
  /^(ls|stat|test|\[|\[\[|du|df|basename|dirname|realpath|readlink|which|type|cd|pushd|rm|mkdir|rmdir|unlink|kill|ssh-add)$/;

/** Some word of the call names a file with secrets: by itself, behind `=`, `:`, `@` or `,`, or by a pattern. */
export function readsSecret(call: Call, scope: ExecScope, all: readonly Call[] = [call]): boolean {
  const { simple } = call;
  const read = simple.redirects.filter((one) => one.op === "<" || one.op === "<>").map((one) => one.target);
  const words = TELLS_NAMES.test(call.program) || isFindByName(call) ? [] : simple.words.slice(1);
  return [...words, ...read, ...simple.assignments].some(
    (word) => namesSecret(word, simple.cwd, scope) || leadsToSecret(word, call, all, scope),
  );
}

const isFindByName = (call: Call): boolean =>
  call.program === "find" &&
  !call.words.some((word) => /^-(exec|execdir|ok|okdir|files0-from|fprintf?|fprint0|fls)$/.test(word));

/** The word leads to a secret by a link that the line itself makes. */
function leadsToSecret({ text }: Word, call: Call, all: readonly Call[], scope: ExecScope): boolean {
  const links = linksOf(all);
  if (links.size === 0 || text.startsWith("-") || text.length > 4_096) return false;
  const raw = rawPath(text, call.simple.cwd);
  const places = raw === undefined ? [] : followLinks(raw, links, call);
  return places.some(
    (path) =>
      path !== undefined &&
      path !== raw &&
      (/[*?[]/.test(path) ? patternMeetsSecret(path, scope) : existsSync(path) && isSecretPath(path, scope)),
  );
}

function namesSecret(word: Word, cwd: string | undefined, scope: ExecScope): boolean {
  const { text } = word;
  if (text.length > 4_096 || (text.includes(" ") && !text.includes("/"))) return false;
  const pieces = /[=:@,\s'"()]/.test(text) ? [text, ...text.split(/[=:@,\s'"()]+/)] : [text];
  const joined = /^-[a-zA-Z]\/?[\w.~/-]+$/.test(text) ? [text.slice(2)] : [];
  return [...pieces, ...joined].some((piece) => {
    if (piece === "" || piece.length > 1_024) return false;
    const bare = piece.replace(/^file:\/\//, "");
    const expanded = expandTilde(bare, scope.userHome);
    const [known = "", unknown] = expanded.split(UNKNOWN, 2);
    if (unknown !== undefined && !known.includes("/")) return false;
    const path = operandPath(unknown === undefined ? expanded : known.slice(0, known.lastIndexOf("/") + 1), cwd);
    if (path === undefined) return false;
    if (unknown !== undefined) return existsSync(path) && isCredential(join(path, "x"), scope);
    if (/[*?[{]/.test(path) && (word.glob || word.quoted)) return patternMeetsSecret(path, scope);
    return existsSync(path) && isSecretPath(path, scope);
  });
}

/** The path, as it is written or where it leads, is one that no tool reads, or lies in a directory of credentials. */
function isSecretPath(path: string, scope: ExecScope): boolean {
  // What a command sees of itself it has anyway.
  if (/^\/proc\/self\/environ$/.test(path)) return false;
  return [path, realOf(path, scope)].some(
    (one) =>
      /^\/etc\/g?shadow-?$|^\/proc\/[^/]+\/(environ|mem|fd\/)/.test(one) ||
      isSecretFile(one, scope) ||
      isCredential(one, scope),
  );
}

/** Parts of directories of credentials that are not secrets. */
const OPEN = /(^|\/)(known_hosts(\.old)?|config|authorized_keys)$|\.pub$/;

function isCredential(path: string, scope: ExecScope): boolean {
  const { userHome } = scope;
  return [userHome, realOf(userHome, scope)].some((dir) => {
    if (USER_FILES.some((name) => path === join(dir, name))) return true;
    const tree = USER_TREES.find((name) => isWithin(path, join(dir, name)));
    return tree !== undefined && !(tree === ".ssh" && OPEN.test(path));
  });
}

/** Directories that hold secrets, for patterns and for programs that go through whole trees. */
function secretTrees({ userHome, home }: ExecScope): readonly string[] {
  return [...new Set([...USER_TREES.map((name) => join(userHome, name)), home.dir, home.root])];
}

/** A pattern of the shell can mean a directory of secrets, or something in it. */
function patternMeetsSecret(pattern: string, scope: ExecScope): boolean {
  const parts = pattern.split("/");
  const trees = [...secretTrees(scope), ...USER_FILES.map((name) => join(scope.userHome, name))];
  const meets = trees.some((tree) => {
    const names = tree.split("/");
    // Fewer parts mean a directory above, whose own name is all that the pattern gives.
    return parts.length >= names.length && names.every((name, index) => couldBe(parts[index] ?? "", name));
  });
  return (
    meets ||
    (isHidden(basename(pattern)) && couldBe(basename(pattern), ".env") && existsSync(join(dirname(pattern), ".env")))
  );
}

const isHidden = (part: string): boolean => part.startsWith(".");

/** As in a shell, a pattern finds hidden names only where it begins with a dot. */
function couldBe(part: string, name: string): boolean {
  if (isHidden(name) && !isHidden(part) && !part.startsWith("{")) return false;
  return matchSegment(part.replace(/\{[^}]*\}/g, "*"), name);
}

/** Programs that hand on what they read as it is, or in whole lines: what is redacted of it stays so. */
const KEEPS_TEXT = /^([efz]?grep|rg|head|tail|cat|sort|uniq|wc|less|more|tee|nl|tac|true|:)$/;

/**
 * A program goes through a tree with a file of secrets, and what it finds there is changed before it is shown: nothing would be known as a secret
 * any more (`grep -r TOKEN . | rev`).
 */
export function changesSecret(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  if (!goesThrough(call) || passesSecretsBy(call)) return false;
  return isChanged(call, all) && wholeDirectories(call, scope).some((dir) => holdsSecretFile(dir, scope));
}

/** What the call prints goes through a program that changes it, into a file that a later command may change, or becomes a value of the shell. */
function isChanged(call: Call, all: readonly Call[]): boolean {
  if (goesIntoFile(call)) return true;
  const index = all.indexOf(call);
  const readers = all.filter(
    ({ simple: { feed } }, at) => at > index && feed !== undefined && feed.from <= index && index < feed.to,
  );
  if (readers.length === 0) return substituted(all).includes(call);
  return readers.some((reader) => !KEEPS_TEXT.test(reader.program) || isChanged(reader, all));
}

function goesIntoFile({ simple: { redirects }, program, operands }: Call): boolean {
  if (program === "tee" && operands.length > 0) return true;
  return redirects.some(({ op, target }) => /^(&?>>?|>\||>&)$/.test(op) && !/^(\/dev\/|&?\d*-?$)/.test(target.text));
}

/** Searches that print names or counts alone, leave out hidden files, or look at named kinds of files. */
function passesSecretsBy(call: Call): boolean {
  if (/^(rg|ag|ack)$/.test(call.program) && !hasFlag(call, "-u", "-uu", "--hidden", "-.", "--unrestricted", "-a"))
    return true;
  if (!/grep$/.test(call.program)) return false;
  if (hasFlag(call, "-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match", "--count", "--quiet"))
    return true;
  const kinds = optionValues(call, "--include").map((word) => word.text);
  return (
    kinds.length > 0 &&
    kinds.every((kind) => ![...SECRET_NAMES].some((name) => couldBe(kind, name) || matchSegment(kind, name)))
  );
}

const LOOKED_AT_MOST = 200;
const LOOKED_DEEP = 3;

/** A file such as `.env` lies in the directory or near below. */
function holdsSecretFile(top: string, scope: ExecScope): boolean {
  let left = LOOKED_AT_MOST;
  const look = (dir: string, depth: number): boolean => {
    if (left-- <= 0) return false;
    const entries = entriesIn(dir);
    if (entries.some((entry) => entry.isFile() && isSecretFile(join(dir, entry.name), scope))) return true;
    const below = entries.filter(
      (entry) => entry.isDirectory() && entry.name !== "node_modules" && entry.name !== ".git",
    );
    return depth < LOOKED_DEEP && below.some((entry) => look(join(dir, entry.name), depth + 1));
  };
  return look(top, 1);
}

function entriesIn(dir: string): readonly Dirent[] {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    return []; // missing, no directory, or not readable for this user: a command reads nothing of it either
  }
}

const ALWAYS_WHOLE = /^(rgrep|rg|ag|ack|tar|bsdtar|7z|7za|zip|rsync|mv|ln|cpio|pax|fd|fdfind)$/;
const WHOLE_BY_FLAG = /^([ef]?grep|zgrep|cp|diff|cat)$/;

/** The program takes the contents of everything below the directories that it is given. */
const goesThrough = (call: Call): boolean =>
  ALWAYS_WHOLE.test(call.program) ||
  (WHOLE_BY_FLAG.test(call.program) &&
    hasFlag(call, "-r", "-R", "-a", "--recursive", "--archive", "--dereference-recursive"));

/** Programs that make a text which does not stand in the line. */
const MAKES_TEXT =
  /^(base64|base32|basenc|xxd|od|rev|tr|sed|awk|gawk|mawk|openssl|uudecode|python3?|perl|node|ruby|php)$/;

/**
 * A reader opens what cannot be judged: a tree that holds secrets as a whole, what another program hands over from outside, or a name that
 * the line computes.
 */
export function hasEscaped(call: Call, scope: ExecScope, all: readonly Call[]): boolean {
  const { simple } = call;
  if (goesThrough(call)) {
    const whole = wholeDirectories(call, scope);
    if (
      whole.some((dir) =>
        secretTrees(scope).some((tree) => isWithin(tree, dir) || (isWithin(dir, tree) && !isInsideScope(dir, scope))),
      )
    )
      return true;
  }
  if (
    simple.under.some((by) => /^(find|xargs|parallel)$/.test(by)) &&
    all.some((other) => handsOverOutside(other, scope))
  )
    return true;
  const dynamic = call.operands.some((word) => word.text.includes(UNKNOWN));
  return dynamic && substituted(all).some((other) => computesName(other));
}

/** Directories that a program goes through, links followed. */
function wholeDirectories(call: Call, scope: ExecScope): readonly string[] {
  const { cwd } = call.simple;
  const given = call.operands
    .slice(/grep|^rg$|^ag$|^ack$/.test(call.program) ? 1 : 0)
    .flatMap((word) => operandPath(word.text, cwd) ?? []);
  const dirs = given.length === 0 && cwd !== undefined ? [cwd] : given;
  return dirs.map((dir) => realOf(dir.replace(/\/\*+$/, "") || "/", scope));
}

/** Calls that stand in a substitution of the line. */
const substituted = (all: readonly Call[]): readonly Call[] =>
  all.flatMap(({ simple }) =>
    [...simple.words, ...simple.assignments].flatMap((word) =>
      word.inner.flatMap((range) => all.slice(range.from, range.to)),
    ),
  );

function handsOverOutside(call: Call, scope: ExecScope): boolean {
  if (!/^(find|fd|ls|locate|plocate|rg|grep|echo|printf)$/.test(call.program)) return false;
  const places = call.operands.map((word) => operandPath(word.text, call.simple.cwd));
  return places.some((path) => {
    if (path === undefined) return false;
    const real = realOf(path, scope);
    return secretTrees(scope).some((tree) => isWithin(tree, real) || isWithin(real, tree));
  });
}

/** Part of a substitution whose output is a name. A pipe into a reader computes nothing. */
const computesName = (call: Call): boolean =>
  MAKES_TEXT.test(call.program) ||
  (call.program === "printf" && call.words.some((word) => /\\(x|0|[0-7]{3}|u)/.test(word)));
