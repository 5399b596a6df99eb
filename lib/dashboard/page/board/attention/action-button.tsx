import { useState } from "preact/hooks";
import type { DiagnosticAction } from "../../../../contracts/board/explain.js";
import { useServices } from "../../services.js";
import { useBoard } from "../board-context.js";
import { perform } from "./perform.js";
import { commandOf, findActionTask } from "./rank.js";

interface ActionProps {
  action: DiagnosticAction;
  /** The task that the finding is about; null: the board. */
  taskId: string | null;
}

/** A remedy: a button that applies it, or the command to copy. */
export function ActionButton({ action, taskId }: ActionProps) {
  const services = useServices();
  const board = useBoard();
  const [busy, setBusy] = useState(false);
  const command = commandOf(action);
  const target = findActionTask(action, { taskId });
  if (command === undefined && action.kind !== "open_docs" && target === null) return null;
  const press = (): void => {
    setBusy(true);
    perform({ services, board }, action, target)
      .catch(services.failed)
      .finally(() => setBusy(false));
  };
  if (command !== undefined)
    return (
      <button type="button" class="small command" disabled={busy} onClick={press} title="Copy this command">
        <code>{command}</code>
      </button>
    );
  return (
    <button type="button" class={action.suggested ? "small primary" : "small"} disabled={busy} onClick={press}>
      {action.label}
    </button>
  );
}
