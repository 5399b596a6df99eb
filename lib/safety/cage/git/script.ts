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

/** Write the script of a line. Every word is quoted again, so the shell reads nothing into it that was not judged. */
export function writeGitScript(line: GitLine): GitScript {
  const changes: GitChange[] = [];
  const pipelines = line.pipelines.map(({ after, calls }, row) => {
    const parts = calls.map((plain, index) => writeCall(plain, line.calls[row]?.[index] ?? { kind: "plain" }, changes));
    return `${after === "" ? "" : `${after} `}${parts.join(" | ")}`;
  });
  return { text: [...BEGINNING, gitFunction(line), pipelines.join(" ")].join("\n"), changes };
}

function gitFunction({ repository }: GitLine): string {
  if (repository === undefined) return 'agent_git() { command git "$@" 3<&- 4>&-; }';
  const { top, dir, common } = repository;
  const place = Object.entries({ GIT_DIR: dir, GIT_COMMON_DIR: common, GIT_WORK_TREE: top });
  return [
    "agent_git() {",
    "  case $1 in",
    '    clone) command git "$@" 3<&- 4>&- ;;',
    `    *) ${place.map(([name, value]) => `${name}=${quotePlain(value)}`).join(" ")} command git "$@" 3<&- 4>&- ;;`,
    "  esac",
    "}",
  ].join("\n");
}

function writeCall({ words, redirects }: PlainCall, call: GitCall, changes: GitChange[]): string {
  const [program = "", ...rest] = words;
  const tail = redirects.length === 0 ? "" : ` ${redirects.join(" ")}`;
  const git = (list: readonly string[]) => ["agent_git", ...list.map(quotePlain)].join(" ");
  if (call.kind === "plain") return `${program === "git" ? git(rest) : words.map(quotePlain).join(" ")}${tail}`;
  if (call.change === undefined) return `${git(call.words)}${tail}`;
  const asked = `agent_ask ${changes.push(call.change) - 1}`;
  const before = call.words.length === 0 ? [] : [git(call.words)];
  return `{ ${[...before, asked, ...moveReferences(call.change)].join(" && ")}; }${tail}`;
}

/** What `git remote rename` and `remove` do besides settings: the references of the remote's branches. */
function moveReferences(change: GitChange): readonly string[] {
  if (change.what !== "remove-remote" && change.what !== "rename-remote") return [];
  const gone = "delete %(refname)";
  const moved =
    change.what === "remove-remote"
      ? gone
      : `%(if)%(symref)%(then)${gone}%(else)create refs/remotes/${change.to}/%(refname:lstrip=3) %(objectname)%0a${gone}%(end)`;
  return [`agent_git for-each-ref '--format=${moved}' refs/remotes/${change.remote}/ | agent_git update-ref --no-deref --stdin`];
}
