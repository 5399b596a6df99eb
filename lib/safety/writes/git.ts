import type { Word } from "../options/command-line.js";
import type { Call } from "./operands.js";
import { given, HERE, listOptionWords, toTarget, type Writes, type WriteTarget, withText } from "./target.js";

/** Subcommands that change nothing, so that the directory they work in is none that they write. */
const READS =
  /^(|status|log|diff|show|rev-parse|ls-files|ls-tree|ls-remote|blame|annotate|describe|grep|shortlog|cat-file|rev-list|for-each-ref|show-ref|merge-base|name-rev|diff-tree|diff-index|diff-files|whatchanged|cherry|count-objects|check-ignore|check-attr|var|version|help|range-diff|verify-commit|verify-tag|fsck)$/;
const LISTS = /^(branch|tag|remote|stash|worktree|config|submodule|reflog|bisect|notes)$/;

/** Where git writes beside the repository that it works in. */
export function gitWrites(call: Call): Writes {
  const [verb, ...rest] = call.positionals;
  const name = verb?.text ?? "";
  const into = directories(call);
  const at = (words: readonly (Word | undefined)[], suffixes: readonly string[] = []): readonly WriteTarget[] =>
    words.flatMap((word) => (word === undefined || word.text === "-" ? [] : [toTarget(word, { into, suffixes })]));
  const places = [...at(filesOf(call, name, rest)), ...at(repositories(call, name, rest))];
  const unsafe = name === "apply" && given(call, "--unsafe-paths");
  return unsafe ? { targets: places, unknown: "git apply writes where the patch says" } : { targets: places };
}

/** `-C` before the subcommand; behind it the letter means something else. */
function directories(call: Call): readonly Word[] {
  const verb = call.positionals[0];
  const words = call.simple.words;
  const end = verb === undefined ? words.length : words.indexOf(verb);
  const before = new Set(words.slice(0, end));
  return call.options.flatMap((option) =>
    option.text === "-C" && option.value !== undefined && before.has(option.value) ? [option.value] : [],
  );
}

/** The repository or tree itself, where the call names another one than that of its directory, and changes it. */
function repositories(call: Call, name: string, rest: readonly Word[]): readonly Word[] {
  const other = [...listOptionWords(call, "--work-tree"), ...listOptionWords(call, "--git-dir")];
  const moved = directories(call).length > 0;
  const lists =
    LISTS.test(name) && (rest.length === 0 || /^(list|show|get|-v|get-url|status|log)$/.test(rest[0]?.text ?? ""));
  if (READS.test(name) || lists || (name === "config" && given(call, "--get --get-all --get-regexp -l --list")))
    return [];
  return [...other, ...(moved && name !== "clone" && name !== "init" ? [HERE] : [])];
}

function filesOf(call: Call, name: string, rest: readonly Word[]): readonly (Word | undefined)[] {
  const [first, second, third] = rest;
  switch (name) {
    case "clone":
      return [
        second ?? (first === undefined ? undefined : cloned(first)),
        ...listOptionWords(call, "--separate-git-dir"),
      ];
    case "init":
      return [first, ...listOptionWords(call, "--separate-git-dir --template").slice(0, 1)];
    case "worktree":
      return first?.text === "add" ? [second] : first?.text === "move" ? [third] : [];
    case "archive":
      return listOptionWords(call, "-o --output");
    case "format-patch":
      return given(call, "--stdout") ? [] : [...listOptionWords(call, "-o --output-directory --output"), HERE];
    case "bundle":
      return first?.text === "create" ? [second] : [];
    case "config":
      return given(call, "--get --get-all --get-regexp -l --list --get-urlmatch")
        ? []
        : listOptionWords(call, "-f --file");
    case "submodule":
      return first?.text === "add" ? [third ?? (second === undefined ? undefined : cloned(second))] : [];
    case "apply":
      return listOptionWords(call, "--directory --build-fake-ancestor");
    case "mv":
      return rest.slice(-1);
    case "checkout-index":
      return listOptionWords(call, "--prefix");
    case "bugreport":
    case "diagnose":
      return [...listOptionWords(call, "-o --output-directory"), HERE];
    default:
      return /^(diff|log|show|diff-tree|diff-index|diff-files|range-diff|rev-list|fast-export|whatchanged|stash)$/.test(
        name,
      )
        ? listOptionWords(call, "--output --export-marks")
        : [];
  }
}

/** The directory that a clone makes of its address. */
function cloned(address: Word): Word {
  const name = address.text
    .replace(/\/+$/, "")
    .replace(/\/?\.git$/, "")
    .split(/[/:]/)
    .at(-1);
  return withText(address, name === undefined || name === "" ? "." : name);
}
