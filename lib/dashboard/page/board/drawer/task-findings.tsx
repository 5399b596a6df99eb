import type { Diagnostic } from "../../../../contracts/board/explain.js";
import { ActionButton } from "../attention/action-button.js";
import { actionsOf } from "../attention/rank.js";
import { useOpenTask } from "./drawer-context.js";

/** What needs attention about this task, each with what can be done. */
export function TaskFindings() {
  const { page } = useOpenTask();
  const { id, diagnostics } = page.task;
  // The reasons above quote the last words of the worker already.
  const quoted = ({ data }: Diagnostic): boolean =>
    data["last_text"] !== undefined && page.reasons.some(({ last_text: text }) => text === data["last_text"]);
  if (diagnostics.length === 0) return null;
  return (
    <section class="findings" aria-label="Diagnostics">
      {diagnostics.map((diagnostic) => (
        <article key={diagnostic.kind} class={`finding finding-${diagnostic.severity}`}>
          <h3>
            <span class="severity">{diagnostic.severity}</span> {diagnostic.title}
            {diagnostic.count > 1 && <span class="chip">{diagnostic.count} times</span>}
          </h3>
          {!quoted(diagnostic) && <p>{diagnostic.detail}</p>}
          <div class="buttons">
            {actionsOf(diagnostic).map((action) => (
              <ActionButton key={`${action.kind} ${action.label}`} action={action} taskId={id} />
            ))}
          </div>
        </article>
      ))}
    </section>
  );
}
