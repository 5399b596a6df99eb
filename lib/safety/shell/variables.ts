import { expandTilde } from "../../base/tilde.js";
import { type Simple, UNKNOWN, type Word } from "../options/command-line.js";
import { baseName } from "../options/programs.js";
import { LOADS_CODE, MODULE_PATHS, OPTIONS_OF } from "./loading-variables.js";

/** Variables whose value a program runs, with the values that are only a program that shows or edits text. */
const RUN_BY_PROGRAMS =
  /^(GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND)|SSH_ASKPASS|SUDO_ASKPASS|(MAN|GH_|PSQL_|SYSTEMD_)?PAGER|(PSQL_)?EDITOR|VISUAL|BROWSER|RSYNC_RSH|CVS_RSH|LESSOPEN|LESSCLOSE|FCEDIT|SUDO_EDITOR|SYSTEMD_EDITOR|PROMPT_COMMAND|PS4|MANROFFSEQ|FZF_DEFAULT_COMMAND)$/;
const SHOWS_TEXT = /^(|:|true|false|cat|less|more|most|bat|vi|vim|nvim|nano|emacs|ed|code|subl|echo|ssh)( -[\w-]+)*$/;

/** Variables that name compilers and what starts them. */
const TOOLS =
  /^(CC|CXX|CPP|LD|AR|AS|FC|F77|RUSTC|RUSTDOC|RUSTC_(WORKSPACE_)?WRAPPER|CARGO_BUILD_RUSTC\w*|CARGO_TARGET_\w+_(RUNNER|LINKER)|CCACHE_(PREFIX|COMPILER)|CMAKE_\w+_(COMPILER|LAUNCHER)|SHELL|CONFIG_SHELL|PYTHON|NODE|PERL|MAKE)$/;
const IS_TOOL =
  /^(|(ccache|sccache|distcc) )(\/usr\/(local\/)?bin\/|\/bin\/)?([\w-]+-)?(gcc|g\+\+|cc|c\+\+|clang|clang\+\+|tcc|icc|cpp|ld|lld|ld\.\w+|gold|mold|ar|gcc-ar|llvm-ar|as|gfortran|rustc|rustdoc|sccache|ccache|bash|sh|zsh|dash|python[\d.]*|node|nodejs|perl|make|gmake)([-\d.]*)$/;

const LOADING_OPTION =
  /(^|\s)(-r|--require|--import|--loader|--experimental-loader|--env-file|-M|-m|-I|-javaagent|-agentpath|-agentlib|-toolexec|--toolexec|-exec|--exec|-vettool|-C\s*linker|-Clinker|-ldflags|-p\s?\w)|linker=|\w+\.\w+.*:/;

/** Compiler flags, which make and its like put into command lines of a shell. */
const FLAGS = /^([A-Z]*FLAGS|[A-Z_]+_FLAGS|LDLIBS|LOADLIBES|LIBS|ARFLAGS)$/;
const SHELL_SIGNS = /[;|&`<>\n(){}]|\$[({A-Z]/;

/** A variable and what it is set to; no value: only running the line tells. */
export interface SetVariable {
  readonly name: string;
  readonly value: Word | undefined;
}

const DECLARES = /^(export|declare|typeset|readonly|local)$/;

/** Variables that a command sets for itself or for what follows: assignments, builtins that store, and those that `env` is given. */
export function variablesSet(simple: Simple): readonly SetVariable[] {
  const program = baseName(simple.words[0]?.text ?? "");
  const words = simple.words.slice(1);
  const assigned = [...simple.assignments, ...(DECLARES.test(program) ? words : [])].flatMap((word) =>
    readAssignment(word),
  );
  return [...assigned, ...storedBy(program, words).map((name) => ({ name, value: undefined }))];
}

function readAssignment(word: Word): readonly SetVariable[] {
  const at = word.text.indexOf("=");
  if (at <= 0) return word.text.startsWith(UNKNOWN) ? [{ name: UNKNOWN, value: undefined }] : [];
  const name = word.text.slice(0, at).replace(/\+$/, "");
  return [
    {
      name: name.includes(UNKNOWN) ? UNKNOWN : name.replace(/\[.*$/s, ""),
      value: { ...word, text: word.text.slice(at + 1) },
    },
  ];
}

/** Names that builtins of the shell store to. */
function storedBy(program: string, words: readonly Word[]): readonly string[] {
  const names = words.flatMap(({ text }) =>
    text.includes(UNKNOWN) ? [UNKNOWN] : /^[A-Za-z_]\w*$/.test(text) ? [text] : [],
  );
  switch (program) {
    case "read":
    case "mapfile":
    case "readarray":
    case "getopts":
      return names;
    case "printf":
    case "wait": {
      const option = program === "printf" ? /^-v/ : /^-\w*p/;
      return words.flatMap(({ text }, at) => (option.test(text) ? [text.slice(2) || (words[at + 1]?.text ?? "")] : []));
    }
    case "let":
      return words.flatMap(({ text }) => /^\s*([A-Za-z_]\w*)\s*[-+*/%|&^<>]*=/.exec(text)?.slice(1, 2) ?? []);
    default:
      return [];
  }
}

/** Whatever it is set to, the variable decides what later programs run or load. */
export const decidesWhatRuns = (name: string): boolean =>
  LOADS_CODE.test(name) ||
  RUN_BY_PROGRAMS.test(name) ||
  TOOLS.test(name) ||
  OPTIONS_OF.test(name) ||
  MODULE_PATHS.test(name) ||
  /^(PATH|IFS|LD_\w+)$/.test(name);

const ASSIGNED_IN_EXPRESSION =
  /([A-Za-z_]\w*)\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)([A-Za-z_]\w*)|([A-Za-z_]\w*)(?:\+\+|--)/g;

/** A variable that an expression of the line may set, where it decides what later programs load; undefined: none. */
export function setByExpression(text: string): string | undefined {
  for (const match of text.slice(0, 20_000).matchAll(ASSIGNED_IN_EXPRESSION)) {
    const name = match[1] ?? match[2] ?? match[3] ?? "";
    if (LOADS_CODE.test(name) || MODULE_PATHS.test(name) || name === "PATH") return name;
  }
  return undefined;
}

/** The variable by which a simple command makes another program run code; undefined when none does. */
export function codeVariable(simple: Simple, userHome: string): string | undefined {
  const nameref =
    DECLARES.test(baseName(simple.words[0]?.text ?? "")) && simple.words.some((word) => /^-\w*n/.test(word.text));
  const found = variablesSet(simple).find(({ name, value }) => {
    if (value === undefined) return name === UNKNOWN || decidesWhatRuns(name);
    return name === UNKNOWN || (nameref && decidesWhatRuns(value.text)) || runsCode(name, value.text, userHome);
  });
  return found === undefined
    ? undefined
    : found.name === UNKNOWN
      ? "a variable that only running the line tells"
      : found.name;
}

function runsCode(name: string, value: string, userHome: string): boolean {
  if (LOADS_CODE.test(name)) return value !== "" && !isUsual(name, value, userHome);
  if (RUN_BY_PROGRAMS.test(name)) return !SHOWS_TEXT.test(value);
  if (TOOLS.test(name)) return !IS_TOOL.test(value);
  if (FLAGS.test(name) && SHELL_SIGNS.test(value)) return true;
  return OPTIONS_OF.test(name) && LOADING_OPTION.test(value);
}

/** What the variable means without being set. */
function isUsual(name: string, value: string, userHome: string): boolean {
  const path = expandTilde(value, userHome).replace(/\/+$/, "");
  if (name === "HOME") return path === userHome;
  if (name === "XDG_CONFIG_HOME") return path === `${userHome}/.config`;
  if (name === "XDG_DATA_HOME") return path === `${userHome}/.local/share`;
  if (name === "GIT_DIR") return /^(\.\/)?\.git$/.test(path);
  if (/^GIT_CONFIG_(GLOBAL|SYSTEM)$/.test(name)) return path === "/dev/null";
  return /^(TERMINFO|GNUPGHOME)$/.test(name) && path === `${userHome}/.${name.toLowerCase().replace("home", "")}`;
}
