import type { Card } from "../../../../contracts/board/explain.js";
import { useStore } from "../../state/use-store.js";
import { useBoard, useBoardState } from "../board-context.js";
import { useAuto } from "../orchestration/orchestration.js";
import { renderTriageOutlook } from "./outlook.js";
import { getTriageProgress } from "./progress.js";
import { useTriage } from "./use-triage.js";

interface TriageProps {
  task: Card;
  /** What stands around it tells already when the model is asked by itself. */
  told?: boolean;
}

/** Specify and Decompose, how far they are, and when it happens by itself. */
export function TriageActions({ task, told = false }: TriageProps) {
  const board = useBoard();
  const progress = useStore(getTriageProgress(board), (all) => all.get(task.id));
  const paused = useBoardState((state) => state.paused);
  const ahead = useBoardState((state) => state.ahead);
  const auto = useAuto();
  const ask = useTriage(task.id);
  const busy = progress?.state === "working";
  return (
    <div class="triage">
      <div class="buttons">
        <button type="button" class="small" disabled={busy} onClick={() => ask("specify")}>
          {busy && progress.what === "specify" ? "Specifying…" : "Specify"}
        </button>
        <button type="button" class="small" disabled={busy} onClick={() => ask("decompose")}>
          {busy && progress.what === "decompose" ? "Decomposing…" : "Decompose"}
        </button>
      </div>
      <p class={progress?.state === "failed" ? "triage-failed" : "soft"} role="status">
        {busy && "Asking the model. This can take a minute."}
        {progress?.state === "failed" && `Not done: ${progress.reason}`}
        {progress === undefined && !told && renderTriageOutlook(task, { auto, paused }, Date.now() / 1000 + ahead)}
      </p>
    </div>
  );
}
