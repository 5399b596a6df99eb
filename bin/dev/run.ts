import { spawn } from "node:child_process";
import { AGENT, ended } from "./drive.js";
import { tour } from "./tour.js";

/** On a terminal: the workspace. Without one: the tour that proves the installation. */
export async function main(args: readonly string[]): Promise<number> {
  if (args.length === 0 && !(process.stdin.isTTY && process.stdout.isTTY)) return tour();
  // Both get the signal of Ctrl+C; the workspace decides what it means.
  process.on("SIGINT", () => undefined);
  return ended(
    spawn(process.execPath, [AGENT, ...args], { stdio: "inherit", cwd: process.env["INIT_CWD"] ?? process.cwd() }),
  );
}
