import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";

/** Programs that tests of real processes use when they are there. */
const WANTED: readonly (readonly [what: string, programs: readonly string[]])[] = [
  ["screen in a real terminal", ["tmux", "script"]],
  ["comparison with SQLite of Python", ["python3"]],
  ["workspaces of kind worktree", ["git"]],
  ["the dashboard's page in a browser", ["chromium"]],
  ["commands in the cage", ["bwrap"]],
];

/** One line per kind of test that was left out because a program is missing. */
export async function missingServers(): Promise<string[]> {
  const lines: string[] = [];
  for (const [what, programs] of WANTED) {
    for (const program of programs) if (!(await onPath(program))) lines.push(`${what}, no ${program}`);
  }
  return lines;
}

/** A program of that name can be started. */
export async function onPath(program: string): Promise<boolean> {
  for (const folder of (process.env["PATH"] ?? "").split(delimiter)) {
    const found = await access(join(folder, program), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}
