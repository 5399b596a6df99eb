import { ownEntry } from "../../../base/json/record.js";
import { isPlainBranchName } from "../../git/branch-name.js";
import { isOrdinaryAddress } from "./address.js";
import type { PlainCall } from "./line.js";
import { type GitGiven, NETWORK, readGitOptions } from "./options.js";

/** A change of a repository's settings that the program makes itself (core part, 20.9). */
export type GitChange =
  | { readonly what: "add-remote" | "set-url"; readonly remote: string; readonly url: string }
  | { readonly what: "rename-remote"; readonly remote: string; readonly to: string }
  | { readonly what: "remove-remote"; readonly remote: string }
  /** `branch` absent: the current one. `merge` absent: the branch of that name. */
  | { readonly what: "track"; readonly remote: string; readonly branch?: string; readonly merge?: string }
  | { readonly what: "untrack"; readonly branch?: string }
  /** Move the settings of a branch that git has renamed. `branch` absent: the one that was checked out before. */
  | { readonly what: "rename-branch"; readonly branch?: string; readonly to: string }
  /** Remove the settings of those branches that git has deleted. */
  | { readonly what: "forget-branches"; readonly branches: readonly string[] };

/** How one call of a plain line is treated. */
export type GitCall =
  /** Runs as it is: `cd`, `echo`, filters of a pipe, git commands that only look. */
  | { readonly kind: "plain"; readonly cd?: string }
  /** A verb that works in the repository alone and runs hooks and programs of the project: never beside a call that speaks to a remote. */
  | { readonly kind: "local" }
  /** Speaks to `remotes`; "" is the upstream of the current branch, "*" every remote. `words` are run instead of those written. */
  | {
      readonly kind: "network";
      readonly verb: string;
      readonly remote: string;
      readonly words: readonly string[];
      readonly change?: GitChange;
    }
  /** Runs with `words`; after it the change is made. Without words there is only the change. */
  | { readonly kind: "settings"; readonly words: readonly string[]; readonly change: GitChange };

const REMOTE = /^[A-Za-z0-9_](?:[\w.-]*[\w-])?$/;

/** A name that the program gives a remote. */
export const isRemoteName = (name: string): boolean =>
  REMOTE.test(name) && !name.includes("..") && !name.endsWith(".lock");

/** What is known of the place of a call. */
export interface GitCallPlace {
  readonly project: string;
  readonly cwd: string;
}

/** Read one call of a plain line. Undefined: it is something else, so the line runs as every other line does. */
export function readGitCall(call: PlainCall, inPipe: boolean, place: GitCallPlace): GitCall | undefined {
  const [program = "", ...words] = call.words;
  if (program !== "git") return readPlain(program, words, inPipe);
  const [verb = "", ...rest] = words[0] === "--no-pager" ? words.slice(1) : words;
  if (Object.hasOwn(NETWORK, verb)) return readNetwork(verb, rest);
  if (verb === "remote") return readRemote(rest, place);
  return (
    readBranching(verb, rest) ??
    (looks(verb, rest) ? { kind: "plain" } : LOCAL.has(verb) ? { kind: "local" } : undefined)
  );
}

/** Verbs that often stand in one line with a change of branches. */
const LOCAL: ReadonlySet<string> = new Set([
  "add",
  "branch",
  "checkout",
  "cherry-pick",
  "commit",
  "diff",
  "log",
  "merge",
  "mv",
  "reset",
  "restore",
  "revert",
  "rm",
  "show",
  "stash",
  "status",
  "switch",
  "tag",
]);

/** An option without a file, or a number. */
const OPTIONS_ONLY = /^(-{1,2}[a-zA-Z][a-zA-Z-]*=?\d*|-\d+|\+?\d+)$/;
const GREP_OPTION = /^-[abce-qs-zA-EG-QS-Z]+$|^-[ABC]?\d+$/;

/** Commands that show nothing but their arguments or what a pipe gives them. */
function readPlain(program: string, words: readonly string[], inPipe: boolean): GitCall | undefined {
  const plain: GitCall = { kind: "plain" };
  switch (program) {
    case "cd":
      return words.length === 1 && words[0] !== "-" && !inPipe ? { kind: "plain", cd: words[0] ?? "" } : undefined;
    case "true":
    case "pwd":
      return words.length === 0 ? plain : undefined;
    case "echo":
      return plain;
    case "head":
    case "tail":
    case "wc":
    case "cat":
      return inPipe && words.every((word) => OPTIONS_ONLY.test(word)) ? plain : undefined;
    case "grep": {
      const operands = words.filter((word) => !word.startsWith("-"));
      const options = words.filter((word) => word.startsWith("-"));
      return inPipe && operands.length === 1 && options.every((word) => GREP_OPTION.test(word) && !/[fdD]/.test(word))
        ? plain
        : undefined;
    }
    default:
      return undefined;
  }
}

/** Verbs that read the repository alone and take no path outside it. */
function looks(verb: string, words: readonly string[]): boolean {
  const harmless = words.every(
    (word) =>
      /^(-{1,2}[a-z][a-z-]*(=[\w:%-]+)?|-\d+|[A-Za-z0-9_@][\w./@{}^~+-]*)$/.test(word) &&
      !/(^|\/)\.\.(\/|$)/.test(word),
  );
  if (!harmless) return false;
  switch (verb) {
    case "status":
    case "rev-parse":
      return true;
    case "log":
      return !words.some((word) => /^--(output|ext-diff|textconv|show-signature)/.test(word));
    case "branch":
      return words.every((word) =>
        ["-a", "-r", "-v", "-vv", "--all", "--remotes", "--show-current", "--list"].includes(word),
      );
    default:
      return false;
  }
}

function readNetwork(verb: string, rest: readonly string[]): GitCall | undefined {
  const options = ownEntry(NETWORK, verb);
  const given = options === undefined ? undefined : readGitOptions(rest, options);
  if (given === undefined) return undefined;
  const remote = given.flags.has("--all") && verb !== "push" ? "*" : (given.operands[0] ?? "");
  const words = [verb, ...rest];
  if (verb === "clone") return given.operands.length === 0 ? undefined : { kind: "network", verb, remote, words };
  if (verb !== "push" || !(given.flags.has("-u") || given.flags.has("--set-upstream")))
    return { kind: "network", verb, remote, words };
  const change = trackOf(given);
  return change === undefined ? undefined : { kind: "network", verb, remote, words: withoutTracking(words), change };
}

/** What `push -u` would set. Undefined for more than one branch. */
function trackOf({ flags, operands }: GitGiven): GitChange | undefined {
  const [remote, refspec, ...more] = operands;
  if (
    more.length > 0 ||
    ["--all", "--branches", "--mirror", "--tags", "-d", "--delete", "-n", "--dry-run"].some((flag) => flags.has(flag))
  )
    return undefined;
  if (remote === undefined) return undefined;
  if (refspec === undefined || refspec === "HEAD") return { what: "track", remote };
  const [from = "", to = from] = refspec.replace(/^\+/, "").split(":");
  const [branch, merge] = [from, to].map((ref) => ref.replace(/^refs\/heads\//, ""));
  if (branch === undefined || merge === undefined || !isPlainBranchName(merge)) return undefined;
  if (branch === "HEAD") return { what: "track", remote, merge };
  return isPlainBranchName(branch) ? { what: "track", remote, branch, merge } : undefined;
}

const withoutTracking = (words: readonly string[]): readonly string[] =>
  words.flatMap((word) => {
    if (word === "-u" || word === "--set-upstream") return [];
    return /^-[a-zA-Z]*u[a-zA-Z]*$/.test(word) ? [word.replace("u", "")] : [word];
  });

function readRemote([verb, ...words]: readonly string[], { cwd, project }: GitCallPlace): GitCall | undefined {
  const settings = (change: GitChange): GitCall => ({ kind: "settings", words: [], change });
  const [remote = "", second = "", ...more] = words;
  if (verb === undefined || (verb === "-v" && words.length === 0)) return { kind: "plain" };
  if (!isRemoteName(remote)) return undefined;
  switch (verb) {
    case "add":
    case "set-url":
      if (more.length > 0 || !isOrdinaryAddress(second, cwd, project)) return undefined;
      return settings({ what: verb === "add" ? "add-remote" : "set-url", remote, url: second });
    case "rename":
      return more.length > 0 || !isRemoteName(second)
        ? undefined
        : settings({ what: "rename-remote", remote, to: second });
    case "remove":
    case "rm":
      return words.length > 1 ? undefined : settings({ what: "remove-remote", remote });
    case "get-url":
      return words.length > 1 ? undefined : { kind: "plain" };
    default:
      return undefined;
  }
}

/** Calls that make a branch which follows one of a remote, or that say what a branch follows. */
function readBranching(verb: string, words: readonly string[]): GitCall | undefined {
  const plain = words.filter((word) => word !== "-q" && word !== "--quiet");
  const quiet = words.length > plain.length ? ["-q"] : [];
  switch (verb) {
    case "branch":
      return readBranch(plain, quiet);
    case "switch":
    case "checkout":
      return readSwitch(verb, plain, quiet);
    default:
      return undefined;
  }
}

function readBranch(words: readonly string[], quiet: readonly string[]): GitCall | undefined {
  const [first = "", ...rest] = words;
  const joined = /^--set-upstream-to=(.+)$/.exec(first)?.[1];
  if (first === "--unset-upstream" && rest.length <= 1) return settings([], { what: "untrack" }, rest[0]);
  if (joined !== undefined && rest.length <= 1) return follow([], joined, rest[0]);
  if ((first === "-u" || first === "--set-upstream-to") && rest.length >= 1 && rest.length <= 2)
    return follow([], rest[0] ?? "", rest[1]);
  const changed = readRename(words, quiet) ?? readDeletion(words, quiet);
  if (changed !== undefined) return changed;
  const names = words.filter((word) => word !== "--track" && word !== "-t");
  const [name = "", start = ""] = names;
  return names.length === 2 ? follow(["branch", ...quiet, "--no-track", name, start], start, name) : undefined;
}

/** `git branch -m [OLD] NEW`. */
function readRename(words: readonly string[], quiet: readonly string[]): GitCall | undefined {
  const [option = "", ...names] = words;
  if (
    !["-m", "-M", "--move"].includes(option) ||
    names.length === 0 ||
    names.length > 2 ||
    !names.every(isPlainBranchName)
  )
    return undefined;
  const to = names.at(-1) ?? "";
  const [branch] = names.length === 2 ? names : [];
  const change: GitChange = { what: "rename-branch", ...(branch === undefined ? {} : { branch }), to };
  return { kind: "settings", words: ["branch", ...quiet, option, ...names], change };
}

/** `git branch -d NAME...` of local branches. */
function readDeletion(words: readonly string[], quiet: readonly string[]): GitCall | undefined {
  const isForce = (word: string) => word === "-f" || word === "--force";
  const [option = "", ...rest] = words.filter((word) => !isForce(word));
  if (!["-d", "-D", "--delete"].includes(option) || rest.length === 0 || !rest.every(isPlainBranchName))
    return undefined;
  const force = words.some(isForce) ? ["-f"] : [];
  return {
    kind: "settings",
    words: ["branch", ...quiet, ...force, option, ...rest],
    change: { what: "forget-branches", branches: rest },
  };
}

function readSwitch(
  verb: "switch" | "checkout",
  words: readonly string[],
  quiet: readonly string[],
): GitCall | undefined {
  const make = verb === "switch" ? ["-c", "--create"] : ["-b"];
  const rest = words.filter((word) => !make.includes(word) && word !== "--track" && word !== "-t");
  const tracks = words.includes("--track") || words.includes("-t");
  const creates = words.some((word) => make.includes(word));
  const option = make[0] ?? "";
  if (creates && rest.length === 2) {
    const [name = "", start = ""] = rest;
    return follow([verb, ...quiet, option, name, "--no-track", start], start, name);
  }
  const [start = ""] = rest;
  if (creates || !tracks || rest.length !== 1) return undefined;
  const name = start.slice(start.indexOf("/") + 1);
  return follow([verb, ...quiet, option, name, "--no-track", start], start, name);
}

/** `upstream` is `remote/branch`. */
function follow(words: readonly string[], upstream: string, branch: string | undefined): GitCall | undefined {
  const at = upstream.indexOf("/");
  const remote = upstream.slice(0, at);
  const merge = upstream.slice(at + 1);
  if (at <= 0 || !isRemoteName(remote) || !isPlainBranchName(merge)) return undefined;
  return settings(words, { what: "track", remote, merge }, branch);
}

function settings(words: readonly string[], change: GitChange, branch: string | undefined): GitCall | undefined {
  if (branch === undefined || !("what" in change) || (change.what !== "track" && change.what !== "untrack"))
    return { kind: "settings", words, change };
  return isPlainBranchName(branch) ? { kind: "settings", words, change: { ...change, branch } } : undefined;
}
