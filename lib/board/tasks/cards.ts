import type { Tx } from "../../../storage/store.js";
import { childrenOf } from "../../../storage/tables/board/links.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { appendTaskEvent, type Stamp } from "../core/core.js";

/**
 * Which of the declared `created_cards` are real: made by this task's assignee or by this task, or children of it (board part, 4.6).
 * Wrong ones leave the event completion_blocked_hallucination and nothing else.
 */
export async function checkCards(
  tx: Tx,
  of: {
    readonly task: TaskRow;
    readonly run: RunRow | undefined;
    readonly summary: string | undefined;
    readonly stamp: Stamp;
  },
  cards: readonly string[] | undefined,
): Promise<{ verified: readonly string[]; phantoms: readonly string[] }> {
  if (cards === undefined || cards.length === 0) return { verified: [], phantoms: [] };
  const { task, run, summary, stamp } = of;
  const children = new Set<string>((await childrenOf(tx, task.id)).map((child) => child.id));
  const makers = new Set<string>([task.id, task.assignee, run?.profile].filter((name) => name != null));
  const verified: string[] = [];
  const phantoms: string[] = [];
  for (const id of new Set(cards)) {
    const card = await getTask(tx, id);
    const ours = card !== undefined && (children.has(id) || makers.has(card.created_by));
    (ours ? verified : phantoms).push(id);
  }
  if (phantoms.length > 0) {
    appendTaskEvent(
      tx,
      stamp,
      { kind: "completion_blocked_hallucination", task: task.id, run: run?.id ?? null },
      { phantom_cards: phantoms, verified_cards: verified, summary_preview: (summary ?? "").slice(0, 200) },
    );
  }
  return { verified, phantoms };
}
