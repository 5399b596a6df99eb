import type { Word } from "./command-line.js";

/** One option of a program. */
export interface OptionItem {
  /** Every name of it: `["-f", "--force"]`. */
  readonly names: readonly string[];
  /** `needed`: a value follows, joined or in the next word; `joined`: only a joined one; `none`: a switch. */
  readonly value: "none" | "needed" | "joined";
}

/**
 * How a program reads its words. `gnu`: `-abc` is three switches and `--forc` is completed; `single`: `-name` is one long option;
 * `tar`: as `gnu`, with the first word as letters without a dash.
 */
export type OptionStyle = "gnu" | "single" | "tar";

/** Options of a program, or of one of its subcommands. */
export interface OptionTable {
  readonly items: readonly OptionItem[];
  readonly style: OptionStyle;
  /** Options may stand behind operands. False: the first operand ends them. */
  readonly permuted: boolean;
  /** Tables of what stands behind the first operand, by that operand; `""` for any other. */
  readonly subs?: Readonly<Record<string, OptionTable>>;
}

/** An option as it stands in a command line. */
export interface GivenOption {
  /** As it was written, without its value: `--forc`, `-o`. */
  readonly text: string;
  /** What it may be: its full name, several when it is ambiguous, `text` alone when it is unknown. */
  readonly names: readonly string[];
  /** Other names of the same option: `-f` for `--force`. */
  readonly aliases: readonly string[];
  readonly value: Word | undefined;
  /** The value stands in the same word. */
  readonly joined: boolean;
  /** The table of the program has exactly this option. False: it may be any option that begins so. */
  readonly known: boolean;
}

/** The words behind a program, read as the program reads them. */
export interface Reading {
  readonly options: readonly GivenOption[];
  /** Words that are neither options nor their values, the subcommand first. */
  readonly operands: readonly Word[];
}

/** A row of a table: the options, and how they are read where that is not the ordinary way. */
export type OptionRow =
  | string
  | { readonly options: string; readonly style?: OptionStyle; readonly permuted?: boolean };
