import { useEffect, useState } from "preact/hooks";
import type { TaskDiagnostics } from "../../../../contracts/board/explain.js";
import { useServices } from "../../services.js";
import { Icon } from "../../shell/icon.js";
import { formatRoute } from "../../state/route.js";
import { formatRelativeTime } from "../../words/time.js";
import { useBoard, useBoardState } from "../board-context.js";
import { ActionButton } from "./action-button.js";
import { type AttentionItem, actionsOf, ranked, tally } from "./rank.js";
import { useDiagnostics } from "./use-diagnostics.js";

/** Findings that are listed; who has more begins with these. */
const SHOWN = 50;

const NONE: readonly TaskDiagnostics[] = [];

/** What needs attention, worst first, between the header of the board and its columns. */
export function AttentionStrip() {
  const findings = ranked(useDiagnostics() ?? NONE);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    if (findings.length === 0) setOpen(false);
  }, [findings.length]);
  const [first] = findings;
  if (first === undefined) return null;
  return (
    <section class={`attention attention-${first.diagnostic.severity}`} aria-label="Needs attention">
      <button type="button" class="attention-fold" aria-expanded={open} onClick={() => setOpen(!open)}>
        <Icon name="warning" />
        <strong>{tally(findings)}</strong>
        {!open && <span class="attention-first">{first.diagnostic.title}</span>}
        <Icon name="chevron" />
      </button>
      {open && (
        <ul class="attention-list">
          {findings.slice(0, SHOWN).map((finding) => (
            <FindingRow key={finding.key} finding={finding} />
          ))}
          {findings.length > SHOWN && (
            <li class="soft">and {findings.length - SHOWN} more; agent kanban diagnostics lists them all</li>
          )}
        </ul>
      )}
    </section>
  );
}

function FindingRow({ finding: { taskId, taskTitle, diagnostic } }: { finding: AttentionItem }) {
  const { route } = useServices();
  const board = useBoard();
  const ahead = useBoardState((state) => state.ahead);
  return (
    <li class={`finding finding-${diagnostic.severity}`}>
      <h3>
        <span class="severity">{diagnostic.severity}</span> {diagnostic.title}
        {diagnostic.count > 1 && <span class="chip">{diagnostic.count} times</span>}
        <span class="soft small-text">{formatRelativeTime(diagnostic.last_seen_at, Date.now() / 1000 + ahead)}</span>
      </h3>
      {taskId !== null && (
        <p>
          <a href={formatRoute({ view: "board", id: taskId, query: route.get().query })}>
            <code>{taskId}</code> {taskTitle}
          </a>
        </p>
      )}
      <p>{diagnostic.detail}</p>
      <div class="buttons">
        {actionsOf(diagnostic).map((action) => (
          <ActionButton key={`${board.slug ?? ""} ${action.kind} ${action.label}`} action={action} taskId={taskId} />
        ))}
      </div>
    </li>
  );
}
