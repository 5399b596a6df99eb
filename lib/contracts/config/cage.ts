/** Whether commands are caged, as commands and front ends see it (core part, 20.9). */
export interface CageState {
  /** `on`; else why not: by the setting, bubblewrap is missing, or the system refuses it. */
  readonly state: "on" | "off" | "missing" | "refused";
  /** What happened, for people; "" when it is on. */
  readonly why: string;
  /** The command or setting that would allow it; "" when it is on or nothing would. */
  readonly remedy: string;
}

/** What the cage would do with a command line. */
export interface CageTest extends CageState {
  readonly runs: "inside" | "outside";
  /** Paths that the line names and that it cannot write or see inside. */
  readonly prevents: readonly { readonly path: string; readonly how: "read-only" | "hidden" }[];
  /** Decision when the model asks for it with `outside: true`; absent without a cage. */
  readonly outside?: "allowed" | "ask" | "denied" | "blocked";
}

/** One line for a list of facts. */
export function cageLine({ state, why, remedy }: CageState): string {
  if (state === "on") return "cage: on";
  return `cage: off, ${why}${remedy === "" ? "" : `; ${remedy}`}`;
}

/** Said once where commands are not caged. */
export function cageNotice({ why, remedy }: CageState): string {
  return `Commands are not sandboxed: ${why}.${remedy === "" ? "" : ` To fix: ${remedy}`}`;
}
