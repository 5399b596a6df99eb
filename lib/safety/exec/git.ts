import type { Call } from "./operands.js";

const WITH_VALUE = new Set(["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"]);

/** Subcommand of a git call and its words; options before it are skipped. */
function subcommand(call: Call): { name: string; words: readonly string[] } {
  let at = 0;
  while (at < call.words.length && (call.words[at] ?? "").startsWith("-")) at += WITH_VALUE.has(call.words[at] ?? "") ? 2 : 1;
  return { name: call.words[at] ?? "", words: call.words.slice(at + 1) };
}

/** The call can lose commits or uncommitted changes (core part, 20.4). Flags are compared whole. */
export function gitDestroys(call: Call): boolean {
  const { name, words } = subcommand(call);
  const short = new Set(words.filter((word) => /^-[a-zA-Z]+$/.test(word)).flatMap((word) => [...word.slice(1)]));
  const has = (...names: readonly string[]) => words.some((word) => names.includes(word.split("=", 1)[0] ?? word));
  switch (name) {
    case "rm":
      return !has("--cached") && !short.has("n") && words.some(isWholeTree);
    case "reset":
      return has("--hard", "--merge");
    case "clean":
      return (short.has("f") || has("--force")) && !short.has("n") && !has("--dry-run");
    case "checkout":
      return short.has("f") || has("--force") || words.some(isWholeTree);
    case "restore":
      return words.some(isWholeTree) && !(has("--staged") && !has("--worktree"));
    case "switch":
      return short.has("f") || has("--force", "--discard-changes");
    case "branch":
      return short.has("D") || ((short.has("d") || has("--delete")) && (short.has("f") || has("--force")));
    case "push":
      return (
        short.has("f") ||
        short.has("d") ||
        has("--force", "--force-with-lease", "--mirror", "--delete", "--prune") ||
        words.some((word) => /^(\+|:)\S/.test(word))
      );
    case "reflog":
      return words[0] === "expire" || words[0] === "delete";
    case "stash":
      return words[0] === "clear" || words[0] === "drop";
    case "update-ref":
      return short.has("d");
    case "worktree":
      return words[0] === "remove" && (short.has("f") || has("--force"));
    case "tag":
      return short.has("d") || has("--delete");
    case "gc":
      return words.includes("--prune=now");
    default:
      return name === "filter-branch" || name === "filter-repo";
  }
}

const isWholeTree = (word: string) => word === "." || word === "./" || word === ":/" || word === "*" || word === ":";
