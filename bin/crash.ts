import { mkdirSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { inspect } from "node:util";
import type { Home } from "../lib/base/home.js";
import { RESTORE } from "../tui/terminal/terminal.js";
import type { ProcessTty } from "./tty.js";

/**
 * An uncaught error ends the process: first the terminal is restored, then the error is printed with the path of its report. Until the
 * result is called; later errors are the runtime's business.
 */
export function catchErrors(home: Home, tty: Pick<ProcessTty, "raw" | "abandon">): () => void {
  const failed = (error: unknown) => {
    process.removeAllListeners("uncaughtException");
    process.on("uncaughtException", () => undefined); // what follows from the first error says nothing more
    tty.abandon();
    tty.raw(false);
    tell(RESTORE);
    const report = reported(home, error);
    const message = error instanceof Error ? error.message : String(error);
    tell(
      `agent: an unexpected error ended this process: ${message}\n${report === undefined ? inspect(error) : `report: ${report}`}\n`,
    );
    process.exit(1);
  };
  process.on("uncaughtException", failed);
  process.on("unhandledRejection", failed);
  return () => {
    process.off("uncaughtException", failed);
    process.off("unhandledRejection", failed);
  };
}

/** Straight to the terminal; the process ends before a stream would have written. */
function tell(text: string): void {
  try {
    writeSync(1, text);
  } catch {
    /* ok to lose: the terminal does not take it; the guard restores it where one runs */
  }
}

function reported(home: Home, error: unknown): string | undefined {
  try {
    mkdirSync(home.logs, { recursive: true, mode: 0o700 });
    const path = join(home.logs, `crash-${new Date().toISOString().replace(/[:.]/g, "-")}.txt`);
    const lines = [
      `pid ${process.pid}`,
      `node ${process.version}`,
      `argv ${process.argv.slice(2).join(" ")}`,
      "",
      inspect(error, { depth: 4 }),
    ];
    writeFileSync(path, `${lines.join("\n")}\n`, { mode: 0o600 });
    return path;
  } catch {
    return undefined; /* ok to lose: the error itself is printed in its place */
  }
}
