import type { Output, Timers } from "./terminal.js";

const FRAME_MS = 33; // 30 frames a second for data
const UNREAD_BYTES = 64 * 1024; // above it frames are skipped, the newest state is drawn later

/** Paces frames: at once after a key, at most 30 a second otherwise, none while the terminal does not read or another program has it. */
export interface Frames {
  soon(): void;
  now(): void;
  /** Draw nothing until `go`: another program has the terminal. */
  hold(): void;
  go(): void;
  /** Draw what is not drawn yet, at once. */
  flush(): void;
  stop(): void;
}

export function createFrames(output: Output, timers: Timers, paint: () => void): Frames {
  let due: (() => void) | undefined;
  let dirty = false;
  let full = false;
  let held = false;
  let last = -FRAME_MS;
  const run = () => {
    due = undefined;
    if (!dirty || full || held) return;
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
  const now = () => {
    dirty = true;
    due?.();
    due = timers.after(0, run);
  };
  return {
    soon: () => {
      dirty = true;
      due ??= timers.after(Math.max(0, FRAME_MS - (timers.mono() - last)), run);
    },
    now,
    hold: () => {
      held = true;
    },
    go: () => {
      held = false;
      now();
    },
    flush: () => {
      due?.();
      run();
    },
    stop: () => {
      due?.();
      held = true;
      dirty = false;
    },
  };
}
