import { useEffect, useState } from "preact/hooks";
import { DISPLAY_TOPIC } from "../../../../contracts/ui/display.js";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { changeOrchestration, readOrchestration, useOrchestration, useOverride } from "./orchestration.js";

/** Whether triage is worked by itself; a press turns it over. Stands in the header of the board. */
export function OrchestrationPill() {
  const board = useBoard();
  const { failed, rpc } = useServices();
  const now = useOrchestration();
  const override = useOverride();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    // Another window, or the command line, may turn it over. The owner tells on this topic of every change of settings.
    const look = (): void => {
      readOrchestration(board).catch(() => undefined);
    };
    return rpc.follow({ topics: [DISPLAY_TOPIC], begin: look, heard: look });
  }, [board, rpc]);
  if (now === undefined) return null;
  const auto = now.auto_decompose;
  const press = (): void => {
    setBusy(true);
    changeOrchestration(board, { auto_decompose: !auto })
      .catch(failed)
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button
        type="button"
        class={`pill ${auto ? "pill-on" : ""}`}
        aria-pressed={auto}
        disabled={busy}
        title={auto ? "Tasks in triage are specified automatically" : "Tasks in triage wait for manual work"}
        onClick={press}
      >
        {auto ? "Orchestration: Auto" : "Orchestration: Manual"}
      </button>
      {override !== null && (
        <span class="chip" title="The board's own setting overrides this">
          this board: {override}
        </span>
      )}
    </>
  );
}
