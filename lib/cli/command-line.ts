import type { Client } from "../backplane/client.js";
import type { Home } from "../base/home.js";
import type { CommandEntry } from "../commands/entry.js";
import type { LineKey } from "../contracts/board/board.js";
import type { CallerIo } from "./terminal-caller.js";

/** One command line and the process that it was typed in. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly home: Home;
  readonly version: string;
  readonly entry: CommandEntry | undefined;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly caller: CallerIo;
  /** It may be run again, or is, when its owner ends before it answers. */
  readonly line?: LineKey | undefined;
}

/** Have the owner run the line. @returns its exit code */
export async function overClient({ argv, caller, line }: CommandLine, client: Client): Promise<number> {
  const { columns, color, isTty } = caller;
  const { cwd, env } = caller;
  const exit = await client.run(
    { argv: [...argv], cwd, env: { ...env }, columns, color, is_tty: isTty, pid: process.pid, line },
    caller.remote,
  );
  caller.pipeExit(exit); // what a closed output means was decided with the owner
  return exit;
}
