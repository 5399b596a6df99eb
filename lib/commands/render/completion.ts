import type { CommandEntry } from "../entry.js";
import { GLOBALS, KANBAN_GLOBALS } from "../globals.js";

type Shell = "bash" | "zsh" | "fish";

/** A completion script made of words alone: no process is started at a press of Tab. */
export function completionScript(shell: Shell, entries: readonly CommandEntry[]): string {
  const table = wordTable(entries);
  return shell === "fish" ? fish(table) : bash(table, shell === "zsh");
}

/** What may follow a beginning: "" for the first word, "kanban" for its actions, "kanban list" for its flags. */
function wordTable(entries: readonly CommandEntry[]): ReadonlyMap<string, readonly string[]> {
  const table = new Map<string, Set<string>>();
  const add = (after: string, word: string) => table.set(after, (table.get(after) ?? new Set()).add(word));
  for (const entry of entries.filter((one) => one.surfaces.includes("cli"))) {
    const words = entry.path.split(" ");
    words.forEach((word, at) => {
      add(words.slice(0, at).join(" "), word);
    });
    const own = [...entry.flags, ...(entry.path.startsWith("kanban") ? KANBAN_GLOBALS : [])];
    const places = new Set((entry.positionals ?? []).map((place) => place.replace(/\.\.\.$/, "")));
    for (const flag of own) if (!places.has(flag.name)) add(entry.path, `--${flag.name.replaceAll("_", "-")}`);
    add(entry.path, "--json");
    add(entry.path, "--help");
  }
  for (const flag of GLOBALS) add("", `--${flag.name.replaceAll("_", "-")}`);
  return new Map([...table].map(([after, words]) => [after, [...words].toSorted()]));
}

function bash(table: ReadonlyMap<string, readonly string[]>, zsh: boolean): string {
  const cases = [...table].map(([after, words]) => `    "${after}") words="${words.join(" ")}" ;;`);
  return [
    ...(zsh ? ["autoload -U +X compinit && compinit", "autoload -U +X bashcompinit && bashcompinit"] : []),
    "_agent_complete() {",
    '  local path="" word i words=""',
    "  for ((i = 1; i < COMP_CWORD; i++)); do",
    '    word="${COMP_WORDS[i]}"',
    '    case "$word" in -*) ;; *) path="${path:+$path }$word" ;; esac',
    "  done",
    '  case "$path" in',
    ...cases,
    "  esac",
    '  COMPREPLY=($(compgen -W "$words" -- "${COMP_WORDS[COMP_CWORD]}"))',
    "}",
    "complete -o default -F _agent_complete agent",
  ].join("\n");
}

function fish(table: ReadonlyMap<string, readonly string[]>): string {
  const lines = [...table].flatMap(([after, words]) => {
    const steps = after === "" ? [] : after.split(" ");
    const test =
      steps.length === 0
        ? "__fish_use_subcommand"
        : steps.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const plain = words.filter((word) => !word.startsWith("-"));
    const flags = words.filter((word) => word.startsWith("--"));
    return [
      ...(plain.length > 0 ? [`complete -c agent -f -n '${test}' -a '${plain.join(" ")}'`] : []),
      ...flags.map((flag) => `complete -c agent -n '${test}' -l ${flag.slice(2)}`),
    ];
  });
  return lines.join("\n");
}
