import type { Child, Spawner } from "../../base/process/spawn.js";
import { GO, lineReader, parseLine, type RunnerNews, type RunnerOrder } from "./runner-messages.js";

/** A program and the arguments that come before the worker's own. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

export type StartAnswer = { readonly started: true } | { readonly started: false; readonly error: string };

/** A runner that waits for its order and then for `go`. Its identity is final: it leads the worker's group until the worker has ended. */
export interface WorkerRunner {
  readonly child: Child;
  /** Let it start the worker, once its identity is recorded. */
  go(order: RunnerOrder): void;
  /** Let it end without starting anything. */
  abandon(): void;
  /** How the start of the worker went. Never rejects. */
  readonly answer: Promise<StartAnswer>;
}

/**
 * Start the runner of one worker, ahead of everything else that the worker needs: it takes as long to be there as all of that together.
 *
 * @param env Environment of the runner itself; the worker's comes with the order.
 * @throws the system's error when the runner itself cannot be started
 */
export async function startRunner(
  spawner: Spawner,
  program: Program,
  place: { readonly log: string; readonly env: Readonly<Record<string, string>> },
): Promise<WorkerRunner> {
  const child = await spawner.spawn({
    file: program.file,
    args: program.args,
    cwd: "/",
    env: place.env,
    group: true,
    stdin: "pipe",
    stdout: "pipe",
    stderr: { append: place.log },
  });
  return {
    child,
    answer: answerOf(child),
    go: (order) => {
      child.write(`${JSON.stringify(order)}\n${GO}\n`);
    },
    abandon: () => child.closeInput(),
  };
}

function answerOf(child: Child): Promise<StartAnswer> {
  return new Promise((resolve) => {
    child.onOutput(
      lineReader((line) => {
        const said = parseLine<RunnerNews>(line);
        if (said?.news === "started") resolve({ started: true });
        if (said?.news === "failed") resolve({ started: false, error: said.message });
      }),
    );
    const ended = async () => {
      await child.closed;
      const { code, signal } = await child.exited;
      resolve({ started: false, error: `the runner exited (${signal ?? `exit ${code}`}) before starting the worker` });
    };
    ended().catch((error: unknown) => resolve({ started: false, error: String(error) }));
  });
}
