/** Modes of the terminal while the workspace is open, each with the way back. */
const MODES: readonly { readonly on: string; readonly off: string }[] = [
  { on: "\x1b[22;2t", off: "\x1b[23;2t" }, // title kept on the terminal's stack
  { on: "\x1b[?1049h", off: "\x1b[?1049l" }, // alternate screen
  { on: "\x1b[?2004h", off: "\x1b[?2004l" }, // bracketed paste
  { on: "\x1b[?1004h", off: "\x1b[?1004l" }, // focus
  { on: "\x1b[>1u", off: "\x1b[<u" }, // kitty keyboard
  { on: "\x1b[>4;1m", off: "\x1b[>4;0m" }, // modifyOtherKeys
  { on: "\x1b[?25l", off: "\x1b[?25h" }, // cursor
];

export const ENTER = `${MODES.map((mode) => mode.on).join("")}\x1b[2J`;
/** Made before the first mode is set: everything undone in reverse, colours reset. */
export const RESTORE = `\x1b[0m\x1b[?7h${MODES.toReversed()
  .map((mode) => mode.off)
  .join("")}`;

export interface Timers {
  after(ms: number, fn: () => void): () => void;
  mono(): number;
}

export interface Output {
  write(text: string): boolean;
  readonly writableLength: number;
  once(event: "drain", listener: () => void): unknown;
}

const FRAME_MS = 33; // 30 frames a second for data
const UNREAD_BYTES = 64 * 1024; // nobody reads: frames are skipped, the newest state is drawn later

/** Paces frames: at once after a key, at most 30 a second otherwise, none while the terminal does not read. */
export interface Frames {
  soon(): void;
  now(): void;
  stop(): void;
}

export function createFrames(output: Output, timers: Timers, paint: () => void): Frames {
  let due: (() => void) | undefined;
  let dirty = false;
  let full = false;
  let last = -FRAME_MS;
  const run = () => {
    due = undefined;
    if (!dirty || full) return;
    if (output.writableLength > UNREAD_BYTES) {
      full = true;
      output.once("drain", () => {
        full = false;
        run();
      });
      return;
    }
    dirty = false;
    last = timers.mono();
    paint();
  };
  return {
    soon: () => {
      dirty = true;
      due ??= timers.after(Math.max(0, FRAME_MS - (timers.mono() - last)), run);
    },
    now: () => {
      dirty = true;
      due?.();
      due = timers.after(0, run);
    },
    stop: () => {
      due?.();
      dirty = false;
    },
  };
}
