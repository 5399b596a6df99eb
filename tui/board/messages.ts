import type { Severity } from "../../lib/contracts/board/explain.js";
import type { SafeText } from "../draw/sanitize.js";
import type { Column, Counts, TaskCard } from "./state.js";

/** What every answer about cards tells of the board as a whole. */
interface Told {
  readonly slug: string;
  readonly counts: Counts;
  readonly paused: { readonly reason: SafeText } | undefined;
}

/** What the feed of the board tells. */
export type BoardMessage =
  /** The beginning of every column: what was there before is gone. */
  | (Told & { readonly type: "board.read"; readonly cards: readonly TaskCard[] })
  /** More of one column. */
  | (Told & { readonly type: "board.page"; readonly column: Column; readonly cards: readonly TaskCard[] })
  /** Cards as they are now, and those that are gone. `by`: who changed them. */
  | (Told & {
      readonly type: "board.changed";
      readonly cards: readonly TaskCard[];
      readonly gone: readonly string[];
      readonly by: ReadonlyMap<string, SafeText>;
    })
  | { readonly type: "board.failed"; readonly message: string }
  /** The worst that tasks have. `all`: those that are not named have nothing. */
  | {
      readonly type: "board.severities";
      readonly slug: string;
      readonly found: readonly (readonly [string, Severity | undefined])[];
      readonly all: boolean;
    };

/** What only the feed of the board can do. */
export type BoardEffect =
  /** Show another board. */
  | { readonly do: "board.show"; readonly slug: string }
  /** The next cards of a column, behind those that are shown. `all`: until the last one. */
  | {
      readonly do: "board.more";
      readonly slug: string;
      readonly column: Column;
      readonly last: TaskCard | undefined;
      readonly all: boolean;
    };
