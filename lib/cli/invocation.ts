import type { CommandContext } from "../commands/define.js";

/** What a command line is run with, besides its words. */
export type Invocation = Omit<CommandContext, "json" | "globals" | "surface"> & {
  readonly argv: readonly string[];
  /** A tool of the home started the caller. Absent: it cannot have, or was asked already. */
  readonly fromTool?: (() => Promise<boolean>) | undefined;
  /** It runs in the owner that others use too, on the settings which that has read. */
  readonly shared?: true;
  /** That owner is in safe mode: its settings are the defaults. */
  readonly safeOwner?: boolean;
  /** Write what is UTF-8 already to the caller's standard output. Absent: it goes through `out`. */
  readonly bytes?: (piece: Uint8Array) => Promise<void>;
};

/** Messages of the board begin with `kanban: `, all others with `agent: `. */
export const prefixOf = (argv: readonly string[]): string =>
  argv.some((word) => word === "kanban" || word.startsWith("kanban ")) ? "kanban: " : "agent: ";

/** A line that begins with `/` is a command; one whose first word has another slash is a path. */
export const isSlash = (text: string): boolean => /^\/[^\s/]*(\s|$)/.test(text);
