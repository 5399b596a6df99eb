import { join } from "node:path";
import { UNKNOWN } from "../options/command-line.js";
import { MODULE_PATHS } from "../shell/loading-variables.js";
import { type SetVariable, variablesSet } from "../shell/variables.js";
import { isWriteInside } from "../writes/find.js";
import { type Call, type ExecScope, operandPath, type WrittenFiles } from "../writes/operands.js";

/** Modules of python's own library. A file with such a name is loaded in place of the module by any program that runs beside it. */
const PYTHON_MODULES: readonly string[] = [
  "sitecustomize usercustomize",
  "abc aifc antigravity argparse array ast asynchat asyncio asyncore atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb",
  "chunk cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes",
  "curses dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp fileinput",
  "fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr",
  "imp importlib inspect io ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes mmap",
  "modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator optparse os ossaudiodev pathlib pdb pickle",
  "pickletools pipes pkgutil platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue",
  "quopri random re readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr",
  "socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string stringprep struct subprocess sunau symtable sys",
  "sysconfig syslog tabnanny tarfile telnetlib tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback",
  "tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser winreg winsound wsgiref",
  "xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo",
].flatMap((names) => names.split(" "));

/** What was written before a call runs. */
export type WrittenBefore = Pick<WrittenFiles, "has" | "below" | "loaded">;

/** Variables that the call sets: those of `env` are among its assignments. Undefined entries: only running it tells. */
function directoriesIn({ value }: SetVariable, call: Call): readonly (string | undefined)[] {
  if (value === undefined) return [];
  return value.text.split(":").flatMap((dir) => {
    if (dir === "") return [];
    const plain = dir.replace(/\/\?.*$/, "");
    return [plain.includes(UNKNOWN) ? undefined : operandPath(plain === "" ? "/" : plain, call.simple.cwd)];
  });
}

const setTo = (call: Call, name: RegExp): readonly (string | undefined)[] =>
  variablesSet(call.simple).flatMap((variable) => (name.test(variable.name) ? directoriesIn(variable, call) : []));

/** Directories that the call adds to those where programs are searched for. */
export const searchedDirectories = (call: Call): readonly string[] =>
  setTo(lasting(call), /^PATH$/).flatMap((dir) => dir ?? []);

/** Directories from which interpreters load modules in later calls, too. */
export const loadedDirectories = (call: Call): readonly string[] =>
  setTo(lasting(call), MODULE_PATHS).flatMap((dir) => dir ?? []);

/** The call without what it sets for its own program alone. */
function lasting(call: Call): Call {
  const declares = call.simple.words.length === 0 || /^(export|declare|typeset|readonly)$/.test(call.program);
  return declares ? call : { ...call, simple: { ...call.simple, assignments: [] } };
}

/**
 * The call makes programs or modules be found where this conversation wrote something, or where only running it tells.
 * A test run may find the modules of the project, new ones too; none of them may stand for a module of python itself.
 */
export function changesSearch(call: Call, seen: WrittenBefore, scope: ExecScope): boolean {
  if (setTo(call, /^PATH$/).some((dir) => dir !== undefined && seen.below(dir))) return true;
  const modules = setTo(call, MODULE_PATHS);
  const ofPython = setTo(call, /^PYTHONPATH$/);
  if (modules.some((dir) => dir === undefined || !isWriteInside(dir, scope) || shadowsPython(dir, seen))) return true;
  if (call.simple.words.length === 0 || /^(export|declare|typeset|readonly)$/.test(call.program)) return false;
  const judged = isTestRun(call) ? modules.filter((dir) => !ofPython.includes(dir)) : modules;
  return judged.some((dir) => dir !== undefined && seen.below(dir));
}

/** The interpreter finds modules where an earlier call told it to look, and something was written there. */
export function loadsWritten(call: Call, seen: WrittenBefore): boolean {
  if (
    !/^(python|pypy|node|perl|ruby|lua|php|julia|java|deno|bun|R|Rscript|erl|prove|pytest|py\.test|gem|rake|irb)[\d.]*$/.test(
      call.program,
    )
  )
    return false;
  return seen.loaded.some((dir) => shadowsPython(dir, seen) || (!isTestRun(call) && seen.below(dir)));
}

/** A module that python itself would load was written in the directory. */
export const shadowsPython = (dir: string, { has, below }: Pick<WrittenFiles, "has" | "below">): boolean =>
  below(dir) && PYTHON_MODULES.some((name) => has(join(dir, `${name}.py`)) || has(join(dir, name, "__init__.py")));

/** A runner of tests: writing tests and running them is everyday work. */
export function isTestRun(call: Call): boolean {
  if (/^(pytest|py\.test|unittest|nose2|tox|nox)$/.test(call.program)) return true;
  const at = call.words.indexOf("-m");
  return /^(python|pypy)/.test(call.program) && at !== -1 && /^(pytest|unittest|nose2)$/.test(call.words[at + 1] ?? "");
}
