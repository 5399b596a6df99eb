import { baseName } from "./programs.js";
import type { Simple } from "./types.js";

/** Variables whose value a program runs, with the values that are only a program that shows or edits text. */
const RUN_BY_PROGRAMS =
  /^(GIT_(SSH|SSH_COMMAND|EXTERNAL_DIFF|PAGER|EDITOR|SEQUENCE_EDITOR|ASKPASS|PROXY_COMMAND)|SSH_ASKPASS|SUDO_ASKPASS|(MAN|GH_)?PAGER|EDITOR|VISUAL|BROWSER|RSYNC_RSH|CVS_RSH|LESSOPEN|LESSCLOSE|FCEDIT|TAR_OPTIONS|PROMPT_COMMAND|PS4)$/;
const SHOWS_TEXT = /^(|:|true|false|cat|less|more|most|bat|vi|vim|nvim|nano|emacs|ed|code|subl|echo|ssh)( -[\w-]+)*$/;
/** Variables that make a program load code before it begins. */
const LOADS_CODE =
  /^(GIT_CONFIG(_COUNT|_KEY_\d+|_VALUE_\d+|_PARAMETERS|_GLOBAL|_SYSTEM)?|CURL_HOME|WGETRC|MAKEFLAGS|MAKEFILES|npm_config_script_shell|COMPILER_PATH|GCC_EXEC_PREFIX|XDG_CONFIG_HOME|LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|ENV|PYTHONSTARTUP|PERL5DB)$/;
const OPTIONS_OF = /^(NODE_OPTIONS|PERL5OPT|RUBYOPT|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS)$/;
const LOADING_OPTION = /(^|\s)(-r|--require|--import|--loader|--experimental-loader|-M|-m|-javaagent|-agentpath|-agentlib)/;

/** The variable by which a simple command makes another program run code; undefined when none does. */
export function codeVariable(simple: Simple): string | undefined {
  const program = baseName(simple.words[0]?.text ?? "");
  const exported = /^(export|declare|typeset|readonly|local)$/.test(program) ? simple.words.slice(1) : [];
  for (const { text } of [...simple.assignments, ...exported]) {
    const at = text.indexOf("=");
    const [name, value] = [text.slice(0, at).replace(/\+$/, ""), text.slice(at + 1)];
    if (at <= 0) continue;
    if (LOADS_CODE.test(name) && value !== "") return name;
    if (RUN_BY_PROGRAMS.test(name) && !SHOWS_TEXT.test(value)) return name;
    if (OPTIONS_OF.test(name) && LOADING_OPTION.test(value)) return name;
  }
  return undefined;
}

/** Settings of git whose value git runs. */
const GIT_RUNS =
  /^(core\.(sshcommand|fsmonitor|hookspath|askpass|gitproxy)|diff\.external|diff\..*\.(command|textconv)|(diff|merge)tool\..*\.cmd|merge\..*\.driver|filter\..*|uploadpack\..*|gpg\..*program|protocol\.ext\..*)$/i;
const GIT_RUNS_SHELL = /^(alias\..*|credential\..*|pager\..*|core\.(pager|editor)|sequence\.editor)$/i;

/** A call of git that stores what it will run later, or runs it at once; what it is called for the message. */
export function gitRuns(words: readonly string[]): string | undefined {
  const [sub = "", ...rest] = words;
  if (sub === "config") {
    const plain = rest.filter((word) => !word.startsWith("-"));
    const [key = "", value] = plain[0] === "set" ? plain.slice(1) : plain;
    if (value === undefined || value === "") return undefined;
    return GIT_RUNS.test(key) || (GIT_RUNS_SHELL.test(key) && /[!;|&$`(]|\s-\S*c\b/.test(value)) ? `git runs what ${key} says` : undefined;
  }
  if (sub === "bisect" && rest[0] === "run") return "git bisect runs a command";
  if (sub === "submodule" && rest.includes("foreach")) return "git runs a command in every submodule";
  if ((sub === "rebase" || sub === "difftool") && rest.some((word) => /^-x/.test(word))) return `git ${sub} runs a command`;
  return sub === "grep" && rest.some((word) => /^(-O.|--open-files-in-pager=)/.test(word))
    ? "git grep opens files with a command"
    : undefined;
}
