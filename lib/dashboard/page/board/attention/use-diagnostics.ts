import { useEffect, useState } from "preact/hooks";
import type { TaskDiagnostics } from "../../../../proto/board-explain.js";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { oneAtATime } from "../drawer/one-at-a-time.js";

/** Events come in bursts: they are looked at together. */
const GATHER_MS = 400;
/** Some findings come with time alone. */
const AGAIN_MS = 60_000;

/** What needs somebody on the board, read anew after events and now and then. Undefined until it is known. */
export function useDiagnostics(): readonly TaskDiagnostics[] | undefined {
  const board = useBoard();
  const { failed } = useServices();
  const [found, setFound] = useState<readonly TaskDiagnostics[] | undefined>(undefined);
  useEffect(() => {
    let closed = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const read = oneAtATime(async () => {
      const answer = await board.get<readonly TaskDiagnostics[]>("/diagnostics");
      if (!closed) setFound(answer);
    });
    const soon = (wait: number): void => {
      clearTimeout(timer);
      // What is not known now is asked for again; a lost connection is told by the header.
      timer = setTimeout(() => {
        read().catch(() => undefined);
        soon(AGAIN_MS);
      }, wait);
    };
    read().catch(failed);
    soon(AGAIN_MS);
    const deaf = board.listen(() => soon(GATHER_MS));
    return () => {
      closed = true;
      clearTimeout(timer);
      deaf();
    };
  }, [board, failed]);
  return found;
}
