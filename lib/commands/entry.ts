import type { AnyCommand, CommandDefinition } from "./define.js";

/** One parameter of a command, as help, the argument parser and shell completion need it. */
export interface FlagMeta {
  /** Key in `params`. The flag is the same with dashes: `max_runtime` is `--max-runtime`. */
  readonly name: string;
  readonly type: "boolean" | "number" | "string";
  readonly describe: string;
  /** Repeatable; a positional of this kind takes the rest. */
  readonly array?: true;
  /** Neither a default nor optional. */
  readonly required?: true;
  readonly default?: unknown;
  readonly choices?: readonly string[];
  /** May stand without its value, which is then the empty text. */
  readonly bare?: true;
}

type Described = Pick<
  CommandDefinition,
  | "path"
  | "aliases"
  | "summary"
  | "topic"
  | "surfaces"
  | "access"
  | "self"
  | "fromTools"
  | "follow"
  | "followsWith"
  | "resumesWith"
  | "staysWith"
  | "listens"
  | "outside"
  | "asksWith"
  | "writesWith"
  | "where"
  | "whole"
  | "verbatim"
  | "busy"
  | "stdin"
  | "positionals"
  | "short"
>;

/** No process that a tool started may run it: it writes elsewhere than on a board, prints what opens a door, or ends a process of the program. */
export function isForPeople(
  { path, access, self, fromTools, writesWith }: CommandEntry,
  argv: readonly string[],
): boolean {
  if (self !== undefined) return true;
  if (path === "kanban" || path.startsWith("kanban ")) return false;
  if (fromTools === true) return false;
  return access !== "read" || (writesWith !== undefined && argv.some((word) => word.startsWith(writesWith)));
}

/** What is known of a command without loading it. Written by `make index` from the definition. */
export interface CommandEntry extends Described {
  /** Every parameter in the order of the schema, those given by place included. */
  readonly flags: readonly FlagMeta[];
  /** The definition itself; its module is loaded on first use. */
  readonly load: () => Promise<AnyCommand>;
}
