/** Entry of `agent … worker <task_id>`: one board task in a process of its own. Started by the dispatcher through a runner. */
import { runWorker } from "../lib/worker/run-worker.js";

/** Put in by the build. */
declare const VERSION: string;

/** After an accepted terminal call, and after SIGTERM, the process ends within this whatever still hangs. */
const LEAVE_WITHIN = { terminal: 9_000, terminated: 4_500 };

const terminated = new AbortController();
process.on("SIGTERM", () => {
  terminated.abort(new Error("SIGTERM"));
  setTimeout(() => process.exit(143), LEAVE_WITHIN.terminated).unref();
});

// The log may lie on a disk that is full: what cannot be written there is lost, and the work goes on.
process.stderr.on("error", () => undefined);

async function main(): Promise<void> {
  const env = Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const code = await runWorker({
    argv: process.argv.slice(2),
    env,
    cwd: process.cwd(),
    version: VERSION,
    terminated: terminated.signal,
    onTerminal: () => {
      setTimeout(() => process.exit(0), LEAVE_WITHIN.terminal).unref();
    },
    say,
    trace: (line) => process.stderr.write(`${line}\n`),
  });
  process.exit(code);
}

function say(line: string): void {
  process.stderr.write(`worker: ${line}\n`);
}

main().catch((error: unknown) => {
  say(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exit(1);
});
