import type { Card } from "../../../../contracts/board/explain.js";
import { Icon } from "../../shell/icon.js";
import { measureCardAge } from "../../state/board/age.js";
import { findColumnTitle } from "../../state/board/columns.js";
import { dollars, formatShortCount } from "../../words/amounts.js";
import { formatSpan } from "../../words/time.js";
import { useNow } from "../now.js";

/** Last lines of a card: who works it, what it waits for, what belongs to it, what it has cost. */
export function CardMarks({ card }: { card: Card }) {
  const { assignee, tenant, status, progress, waits_for, usage } = card;
  const open = status !== "done" && status !== "archived";
  return (
    <div class="card-marks">
      {assignee !== null && <span class="assignee">{assignee}</span>}
      {assignee === null && open && status !== "triage" && !card.external && (
        <span class="chip chip-warn">needs assignee</span>
      )}
      {card.external && assignee === null && open && <span class="chip">external</span>}
      {tenant !== null && <span class="chip chip-tenant">{tenant}</span>}
      {card.hold && <span class="chip">held</span>}
      {card.verdict === "rejected" && <span class="chip chip-danger">rejected</span>}
      {progress !== null && <Progress {...progress} />}
      {waits_for.length > 0 && (
        <span class="chip" title={`Waits for ${waits_for.join(", ")}`}>
          waits for {waits_for.length}
        </span>
      )}
      <Counts card={card} />
      <Branch card={card} />
      {usage !== null && (
        <span class="mark" title={`${usage.input_tokens} tokens in, ${usage.output_tokens} out`}>
          {formatShortCount(usage.input_tokens + usage.output_tokens)} tok
          {usage.cost_usd === null ? "" : ` · ${dollars(usage.cost_usd)}`}
        </span>
      )}
      <CardAge card={card} label={findColumnTitle(status)} />
    </div>
  );
}

function Progress({ done, total }: { done: number; total: number }) {
  return (
    <span class="chip progress" title={`${done} of ${total} parts are done`}>
      <span class="sr-only">Parts done: </span>
      {done}/{total}
    </span>
  );
}

function Counts({ card: { comment_count: comments, link_counts: links } }: { card: Card }) {
  const linked = links.parents + links.children;
  return (
    <>
      {comments > 0 && (
        <span class="mark" title={comments === 1 ? "1 comment" : `${comments} comments`}>
          <Icon name="comment" /> {comments}
          <span class="sr-only"> comments</span>
        </span>
      )}
      {linked > 0 && (
        <span class="mark" title={`${links.parents} parents, ${links.children} children`}>
          <Icon name="link" /> {linked}
          <span class="sr-only"> links</span>
        </span>
      )}
    </>
  );
}

function Branch({ card: { workspace } }: { card: Card }) {
  if (workspace === null || workspace.branch === null) return null;
  const state = [
    workspace.dirty ? "uncommitted changes" : "",
    workspace.ahead ? `${workspace.ahead} commits ahead` : "",
    workspace.merged ? "merged" : "",
  ];
  return (
    <span class="mark branch" title={[workspace.branch, ...state].filter(Boolean).join(", ")}>
      <Icon name="branch" /> <span class="branch-name">{workspace.branch}</span>
      {workspace.dirty && (
        <>
          <span aria-hidden="true">*</span>
          <span class="sr-only"> with uncommitted changes</span>
        </>
      )}
    </span>
  );
}

/** How long a card stands where it is; coloured when that is long. */
function CardAge({ card, label }: { card: Card; label: string }) {
  const { seconds, level } = measureCardAge(card, useNow());
  const running = card.status === "running";
  const title = running ? `Last heartbeat ${formatSpan(seconds)} ago` : `${label} for ${formatSpan(seconds)}`;
  return (
    <span class={`age age-${level}`} title={title}>
      <span class="sr-only">{running ? "Last heartbeat " : `${label} for `}</span>
      {formatSpan(seconds)}
    </span>
  );
}
