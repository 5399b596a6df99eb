import type { BoardSlug } from "../../base/units.js";
import type { DispatchForecast, DispatchState } from "../../contracts/board/explain.js";
import type { Check } from "../../contracts/check.js";

/** A slot for side work, and why it cannot be used; undefined when it can. */
export interface AuxiliarySlot {
  readonly slot: "triage_specifier" | "kanban_decomposer" | "profile_describer";
  readonly problem: string | undefined;
}

/** What the files of a board's store show. */
export interface BoardFiles {
  /** Parts that recovery took out, by name, and where they are kept. */
  readonly lost: readonly string[];
  readonly folder: string;
  /** What is wrong with the files, in one sentence each. */
  readonly findings: readonly string[];
}

/** What other parts tell the board for its explanations. Each has an honest default for a process that has no such part. */
export interface ExplainPorts {
  /** The dispatcher of this process. Default: none. */
  readonly forecast: DispatchForecast;
  /** Slots of the board. Default: no client. May look for a local model server. */
  readonly auxiliary: () => Promise<readonly AuxiliarySlot[]>;
  /** Removes known secrets, also in a process that only looks. Default: what the board redacts with. */
  readonly redactor: (own: (text: string) => string) => Promise<(text: string) => string>;
  /** What the files of a board's store tell; undefined: nothing is known of them. */
  readonly files: (board: BoardSlug) => Promise<BoardFiles | undefined>;
  /** What is wrong with the other stores of the home, whatever the board; their names begin with `home `. Default: nothing is known of them. */
  readonly otherStores: () => Promise<readonly Check[]>;
}

const ABSENT: DispatchState = "absent";

const NOBODY: ExplainPorts = {
  forecast: {
    state: () => ABSENT,
    stalled: () => false,
    forecastStarts: async () => new Map(),
    forecastTask: async () => undefined,
  },
  auxiliary: async () =>
    (["triage_specifier", "kanban_decomposer", "profile_describer"] as const).map((slot) => ({
      slot,
      problem: "no auxiliary client configured",
    })),
  redactor: async (own) => own,
  files: async () => undefined,
  otherStores: async () => [],
};

/** The ports with defaults for those that are missing. */
export const portsOf = (core: { readonly explain?: Partial<ExplainPorts> }): ExplainPorts => ({
  ...NOBODY,
  ...core.explain,
});
