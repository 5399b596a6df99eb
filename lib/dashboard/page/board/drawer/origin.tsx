import { formatInstant } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";
import { TaskLinks } from "./why-part.js";

/** Where the task came from, and what it has cost so far. */
export function Origin() {
  const { task } = useOpenTask().page;
  const rows: readonly (readonly [name: string, value: string | null])[] = [
    ["Created by", task.created_by],
    ["Made", formatInstant(task.created_at)],
    ["First started", task.started_at === null ? null : formatInstant(task.started_at)],
    ["Done", task.completed_at === null ? null : formatInstant(task.completed_at)],
    ["Changed", `${formatInstant(task.updated_at)}, version ${task.version}`],
    ["Conversation", task.session_id],
    ["Idempotency key", task.idempotency_key],
    ["Consecutive failures", task.consecutive_failures === 0 ? null : String(task.consecutive_failures)],
    ["Last failure", task.last_failure_error],
    ["Repository", task.repo_path],
    ["Base", task.base_name === null ? null : `${task.base_name} ${task.base_commit ?? ""}`.trim()],
  ];
  return (
    <dl class="properties">
      {rows.map(([name, value]) =>
        value === null ? null : (
          <div key={name} class="property">
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ),
      )}
      {task.decomposed_from !== null && (
        <div class="property">
          <dt>Part of</dt>
          <dd>
            <TaskLinks ids={[task.decomposed_from]} />
          </dd>
        </div>
      )}
    </dl>
  );
}
