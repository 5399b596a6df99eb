import type { Timers } from "./terminal.js";

const REST_MS = 30;
const LONGEST_MS = 100; // while it is dragged

interface Sized {
  size(): { readonly columns: number; readonly rows: number };
  onResize(listener: () => void): () => void;
}

/** A new size after a rest, and now and then while it goes on changing. */
export function onResizes(tty: Sized, timers: Timers, resized: (columns: number, rows: number) => void): () => void {
  let due: (() => void) | undefined;
  let since: number | undefined;
  const apply = () => {
    due = undefined;
    since = undefined;
    const { columns, rows } = tty.size();
    resized(columns, rows);
  };
  const stop = tty.onResize(() => {
    due?.();
    since ??= timers.mono();
    due = timers.after(Math.max(0, Math.min(REST_MS, LONGEST_MS - (timers.mono() - since))), apply);
  });
  return () => {
    due?.();
    stop();
  };
}
