import type { Tty } from "../tui/workspace.js";

interface Blocking {
  _handle?: { setBlocking?: (blocking: boolean) => void };
}

/** The terminal of this process. `onLost` is called when it is closed or no longer takes bytes. */
export function processTty(onLost: () => void): Tty {
  const { stdin, stdout } = process;
  // A terminal's output blocks the whole process when nobody reads; looked for, because it is not part of the documented interface.
  (stdout as Blocking)._handle?.setBlocking?.(false);
  stdout.on("error", onLost);
  return {
    output: stdout,
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    onInput: (listener) => {
      stdin.on("data", listener);
      stdin.on("end", onLost);
      stdin.resume();
      return () => {
        stdin.off("data", listener);
        stdin.pause();
      };
    },
    onResize: (listener) => {
      stdout.on("resize", listener);
      return () => stdout.off("resize", listener);
    },
    raw: (on) => {
      if (stdin.isTTY) stdin.setRawMode(on);
    },
    suspend: () =>
      new Promise((resolve) => {
        process.once("SIGCONT", () => resolve());
        process.kill(process.pid, "SIGTSTP");
      }),
  };
}
