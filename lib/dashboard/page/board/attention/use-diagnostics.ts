import { useEffect, useState } from "preact/hooks";
import type { TaskDiagnostics } from "../../../../contracts/board/explain.js";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { oneAtATime } from "../drawer/one-at-a-time.js";

/** Events come in bursts: they are looked at together, and not again at once: all tasks are looked through for it. */
const GATHER_MS = 400;
const REST_MS = 5_000;
/** Some findings come with time alone. */
const AGAIN_MS = 60_000;

/** What needs attention on the board, read again after events and now and then. Undefined until it is known. */
export function useDiagnostics(): readonly TaskDiagnostics[] | undefined {
  const board = useBoard();
  const { failed } = useServices();
  const [found, setFound] = useState<readonly TaskDiagnostics[] | undefined>(undefined);
  useEffect(() => {
    let closed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let due = Number.POSITIVE_INFINITY;
    let last = Date.now();
    const read = oneAtATime(async () => {
      const answer = await board.get<readonly TaskDiagnostics[]>("/diagnostics");
      if (!closed) setFound(answer);
    });
    const look = (): void => {
      due = Number.POSITIVE_INFINITY;
      last = Date.now();
      // What is not known now is asked for again; a lost connection is shown by the header.
      read().catch(() => undefined);
      plan(AGAIN_MS);
    };
    const plan = (wait: number): void => {
      const at = Math.max(Date.now() + wait, last + REST_MS);
      if (at >= due) return;
      clearTimeout(timer);
      due = at;
      timer = setTimeout(look, at - Date.now());
    };
    read().catch(failed);
    plan(AGAIN_MS);
    const deaf = board.listen(() => plan(GATHER_MS));
    return () => {
      closed = true;
      clearTimeout(timer);
      deaf();
    };
  }, [board, failed]);
  return found;
}
