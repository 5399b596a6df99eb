import type { GitCall, GitChange } from "./calls.js";
import { type PlainCall, quotePlain } from "./line.js";
import type { GitLine } from "./prepare.js";

/** A line as the shell of its cage runs it, and the changes that it asks the program for by number. */
export interface GitScript {
  readonly text: string;
  readonly changes: readonly GitChange[];
}

/**
 * The shell writes `ask N` and reads the answer, `ok TEXT` or `no TEXT`; at its end it writes `cwd DIR`. Git itself has neither descriptor, and works
 * in the repository that was judged, whatever the directory has become.
 */
const BEGINNING = [
  "exec 2>&1",
  'trap \'printf "cwd %s\\n" "$(pwd -P)" >&4\' EXIT',
  "agent_ask() {",
  "  printf 'ask %s\\n' \"$1\" >&4",
  "  IFS=' ' read -r AGENT_OK AGENT_SAID <&3 || return 1",
  '  [ -z "$AGENT_SAID" ] || printf \'%s\\n\' "$AGENT_SAID"',
  '  [ "$AGENT_OK" = ok ]',
  "}",
];

/** Write the script of a line. Every word is quoted again, so the shell reads nothing into it that was not judged.
 *
 * @param aside git directory whose settings may be written; needed where the line renames or deletes branches
 */
export function writeGitScript(line: GitLine, aside: string | undefined): GitScript {
  const changes: GitChange[] = [];
  const pipelines = line.pipelines.map(({ after, calls }, row) => {
    const parts = calls.map((plain, index) => writeCall(plain, line.calls[row]?.[index] ?? { kind: "plain" }, changes));
    return `${after === "" ? "" : `${after} `}${parts.join(" | ")}`;
  });
  return { text: [...BEGINNING, ...gitFunctions(line, aside), pipelines.join(" ")].join("\n"), changes };
}

function gitFunctions({ repository }: GitLine, aside: string | undefined): readonly string[] {
  if (repository === undefined) return ['agent_git() { command git "$@" 3<&- 4>&-; }'];
  const { top, dir, common } = repository;
  const placeWith = (settings: string) =>
    Object.entries({ GIT_DIR: dir, GIT_COMMON_DIR: settings, GIT_WORK_TREE: top })
      .map(([name, value]) => `${name}=${quotePlain(value)}`)
      .join(" ");
  const main = [
    "agent_git() {",
    "  case $1 in",
    '    clone) command git "$@" 3<&- 4>&- ;;',
    `    *) ${placeWith(common)} command git "$@" 3<&- 4>&- ;;`,
    "  esac",
    "}",
  ];
  if (aside === undefined) return main;
  return [
    ...main,
    "agent_git_aside() {",
    `  local said code aside=${quotePlain(aside)} top=${quotePlain(top)}`,
    `  { said=$(${placeWith(aside)} command git "$@" 2>&1 >&5 3<&- 4>&- 5>&-); code=$?; } 5>&1`,
    `  [ -z "$said" ] || printf '%s\\n' "\${said//"$aside"/"$top"}" >&2`,
    "  return $code",
    "}",
    "agent_move_head() {",
    '  [ "$(agent_git symbolic-ref --quiet HEAD)" != "refs/heads/$1" ] || agent_git symbolic-ref HEAD "refs/heads/$2"',
    "}",
  ];
}

function writeCall({ words, redirects }: PlainCall, call: GitCall, changes: GitChange[]): string {
  const [program = "", ...rest] = words;
  const tail = redirects.length === 0 ? "" : ` ${redirects.join(" ")}`;
  const git = (list: readonly string[]) => ["agent_git", ...list.map(quotePlain)].join(" ");
  if (call.kind === "plain" || call.kind === "local")
    return `${program === "git" ? git(rest) : words.map(quotePlain).join(" ")}${tail}`;
  if (call.change === undefined) return `${git(call.words)}${tail}`;
  const asked = `agent_ask ${changes.push(call.change) - 1}`;
  if (needsAside(call.change)) {
    const run = ["agent_git_aside", ...call.words.map(quotePlain)].join(" ");
    // Of several branches git may delete some only.
    if (call.change.what !== "rename-branch")
      return `{ ${run}; AGENT_CODE=$?; ${asked} && (exit $AGENT_CODE); }${tail}`;
    const names = [call.change.branch ?? "", call.change.to].map(quotePlain).join(" ");
    return `{ ${run} && agent_move_head ${names} && ${asked}; }${tail}`;
  }
  const before = call.words.length === 0 ? [] : [git(call.words)];
  return `{ ${[...before, asked, ...moveReferences(call.change)].join(" && ")}; }${tail}`;
}

/** Git writes the settings itself when it makes this change. What it makes of `HEAD` aside is made of the true one by `agent_move_head`. */
export const needsAside = ({ what }: GitChange): boolean => what === "rename-branch" || what === "forget-branches";

/** What `git remote rename` and `remove` do besides settings: the references of the remote's branches. */
function moveReferences(change: GitChange): readonly string[] {
  if (change.what !== "remove-remote" && change.what !== "rename-remote") return [];
  const gone = "delete %(refname)";
  const moved =
    change.what === "remove-remote"
      ? gone
      : `%(if)%(symref)%(then)${gone}%(else)create refs/remotes/${change.to}/%(refname:lstrip=3) %(objectname)%0a${gone}%(end)`;
  return [
    `agent_git for-each-ref '--format=${moved}' refs/remotes/${change.remote}/ | agent_git update-ref --no-deref --stdin`,
  ];
}
