interface Mode {
  readonly name: string;
  readonly on: string;
  readonly off: string;
  /** Set only when it is wanted: the terminal has answered that it knows it, or the user asked. */
  readonly wanted?: true;
}

/** Modes of the terminal while the workspace is open, each with the way back. */
const MODES = [
  { name: "title", on: "\x1b[22;2t", off: "\x1b[23;2t" }, // kept on the terminal's stack
  { name: "alternate", on: "\x1b[?1049h", off: "\x1b[?1049l" },
  { name: "shape", on: "\x1b[6 q", off: "\x1b[0 q" }, // the cursor as a bar
  { name: "paste", on: "\x1b[?2004h", off: "\x1b[?2004l" },
  { name: "focus", on: "\x1b[?1004h", off: "\x1b[?1004l" },
  { name: "keys", on: "\x1b[>4;1m", off: "\x1b[>4;0m" }, // modifyOtherKeys
  { name: "kitty", on: "\x1b[>1u", off: "\x1b[<u", wanted: true },
  { name: "mouse", on: "\x1b[?1000h\x1b[?1002h\x1b[?1006h", off: "\x1b[?1006l\x1b[?1002l\x1b[?1000l", wanted: true },
  { name: "cursor", on: "\x1b[?25l", off: "\x1b[?25h" },
] as const satisfies readonly Mode[];

const ALL: readonly Mode[] = MODES;
export type WantedMode = Extract<(typeof MODES)[number], { wanted: true }>["name"];

/** What is set at the start of which front end: line mode stays on the terminal's own screen. */
const ofLines = (mode: Mode): boolean => mode.name !== "alternate" && mode.name !== "mouse";

const undo = (modes: readonly Mode[]): string =>
  `\x1b[0m\x1b[?7h${modes
    .toReversed()
    .map((mode) => mode.off)
    .join("")}`;

/** Everything undone in reverse, colours reset, whatever was set: for a terminal that is found after a crash. Made before the first mode. */
export const RESTORE = undo(ALL);
/** The same for line mode, whose screen is the terminal's own. */
export const RESTORE_LINES = undo(ALL.filter(ofLines));

/** What is set at the start. */
export const ENTER = `${ALL.filter((mode) => mode.wanted !== true)
  .map((mode) => mode.on)
  .join("")}\x1b[2J`;

/**
 * Questions to the terminal: background, name (XTVERSION), keyboard, abilities. Nothing waits for the answers, and a terminal that does not know one
 * shows nothing of it. The last one every terminal answers.
 */
export const QUERIES = "\x1b]11;?\x07\x1b[>q\x1b[?u\x1b[c";

export interface Timers {
  after(ms: number, fn: () => void): () => void;
  mono(): number;
}

export interface Output {
  write(text: string): boolean;
  readonly writableLength: number;
  once(event: "drain", listener: () => void): unknown;
}

/** How much of the terminal a front end takes. */
export type UiMode = "screen" | "lines" | "plain";

/** The modes that are set at this moment. */
export interface Modes {
  enter(): void;
  /** Undo in reverse what was set, and nothing else: a mode that was never used is never named. */
  leave(): void;
  want(name: WantedMode, on: boolean): void;
}

/** @param front `screen`: the whole screen; `lines`: line mode; `plain`: output other than a terminal gets none */
export function createModes(output: Output, front: UiMode = "screen"): Modes {
  const wanted = new Set<string>();
  const possible = front === "screen" ? ALL : front === "lines" ? ALL.filter(ofLines) : [];
  let inside = false;
  const active = () => possible.filter((mode) => mode.wanted !== true || wanted.has(mode.name));
  return {
    enter: () => {
      inside = true;
      const modes = active()
        .map((mode) => mode.on)
        .join("");
      if (front !== "plain") output.write(front === "screen" ? `${modes}\x1b[2J` : modes);
    },
    leave: () => {
      if (inside && front !== "plain") output.write(undo(active()));
      inside = false;
    },
    want: (name, on) => {
      if (wanted.has(name) === on) return;
      const mode = possible.find((one) => one.name === name);
      if (inside && mode) output.write(on ? mode.on : mode.off);
      if (on) wanted.add(name);
      else wanted.delete(name);
    },
  };
}
