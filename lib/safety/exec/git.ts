import { type Call, hasFlag } from "../writes/operands.js";

/** The call can lose commits or uncommitted changes (core part, 20.4). Options are read as git does, shortened ones too. */
export function gitDestroys(call: Call): boolean {
  const [verb, ...operands] = call.positionals.map((word) => word.text);
  const has = (...names: readonly string[]) => hasFlag(call, ...names);
  switch (verb) {
    case "rm":
      return !has("--cached") && !has("-n", "--dry-run") && operands.some(isWholeTree);
    case "reset":
      return has("--hard", "--merge");
    case "clean":
      return has("-f", "--force") && !has("-n", "--dry-run");
    case "checkout":
      return has("-f", "--force") || operands.some(isWholeTree);
    case "restore":
      return operands.some(isWholeTree) && !(has("-S", "--staged") && !has("-W", "--worktree"));
    case "switch":
      return has("-f", "--force", "--discard-changes");
    case "branch":
      return has("-D") || (has("-d", "--delete") && has("-f", "--force"));
    case "push":
      return pushDestroys(call, operands);
    case "reflog":
      return operands[0] === "expire" || operands[0] === "delete";
    case "stash":
      return operands[0] === "clear" || operands[0] === "drop";
    case "update-ref":
      return has("-d", "--stdin");
    case "worktree":
      return operands[0] === "remove" && has("-f", "--force");
    case "tag":
      return has("-d", "--delete");
    case "gc":
      return call.options.some(
        (option) => hasFlag({ ...call, options: [option] }, "--prune") && /^(now|all)$/.test(option.value?.text ?? ""),
      );
    case "submodule":
      return operands[0] === "deinit" && has("-f", "--force");
    default:
      return verb === "filter-branch" || verb === "filter-repo" || verb === "prune";
  }
}

const pushDestroys = (call: Call, operands: readonly string[]): boolean =>
  hasFlag(call, "-f", "--force", "--force-with-lease", "--mirror", "-d", "--delete", "--prune") ||
  operands.some((word) => /^(\+|:)\S/.test(word));

const isWholeTree = (word: string) => word === "." || word === "./" || word === ":/" || word === "*" || word === ":";
