import { spawn, spawnSync } from "node:child_process";
import type { Writable } from "node:stream";

/** What restores the terminal when this process can not do it any more. */
export interface Guard {
  /** The terminal was left in good order. */
  dismiss(): void;
}

/** The first frame comes before it. */
const GUARD_AFTER_MS = 20;
/**
 * Waits until this process is gone, and undoes what it could not undo itself when it was killed. TTOU is ignored because the shell has the
 * terminal back by then. It may have shown its prompt on the screen that is given up here: told of a new size it shows the prompt again.
 */
const GUARD_SCRIPT = [
  'trap "" HUP INT QUIT TERM TSTP TTOU WINCH; read -r word <&3; [ "$word" = clean ] && exit 0',
  'stty "$1" </dev/tty; printf %s "$2" >/dev/tty',
  'front=$(ps -o tpgid= -p $$ 2>/dev/null | tr -d " "); [ -n "$front" ] && [ "$front" -gt 1 ] && kill -s WINCH -- "-$front" 2>/dev/null',
].join("\n");

/** Started soon after the first frame. Called before raw mode: the modes of now are those that are given back; `restore` undoes the rest. */
export function createGuard(restore: string): Guard {
  const saved = spawnSync("stty", ["-g"], { stdio: [0, "pipe", "ignore"] })
    .stdout?.toString()
    .trim();
  if (!saved) return { dismiss: () => undefined }; // a system without stty: only this process can restore the terminal
  let line: Writable | undefined;
  const due = setTimeout(() => {
    const child = spawn("sh", ["-c", GUARD_SCRIPT, "sh", saved, restore], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    child.on("error", () => undefined); // without a shell the guard cannot run
    child.unref();
    line = child.stdio[3] as Writable; // the fourth of `stdio`, a pipe of ours to write
    (line as Writable & { unref?(): void }).unref?.(); // a socket has it, and must not keep this process alive
    line.on("error", () => undefined); // the guard was ended from outside
  }, GUARD_AFTER_MS);
  return {
    dismiss: () => {
      clearTimeout(due);
      line?.end("clean\n");
    },
  };
}
