import type { TaskId } from "../../../../base/units.js";
import { LAST_WORDS, type WaitReason } from "../../../../contracts/board/explain.js";
import { Markdown } from "../../markdown-view.js";
import { useServices } from "../../services.js";
import { formatRoute } from "../../state/route.js";
import { formatInstant, formatRelativeTime } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";
import { actFor } from "./why-acts.js";
import { WhyButton } from "./why-button.js";

/** Why the task does not move, or that it does; the worst first, and what to do. */
export function WhyPart() {
  const { page } = useOpenTask();
  if (page.reasons.length === 0) return null;
  return (
    <section class="why" aria-label="Why it is not progressing">
      {page.reasons.map((reason) => (
        <Reason key={reason.code} reason={reason} />
      ))}
    </section>
  );
}

function Reason({ reason }: { reason: WaitReason }) {
  const { now } = useOpenTask();
  const act = actFor(reason);
  return (
    <div class={`reason ${reason.action === undefined ? "" : "reason-acts"}`}>
      <p>
        {reason.last_text === undefined ? reason.text : reason.text.split(LAST_WORDS, 1)}
        {reason.until !== undefined && (
          <span class="soft" title={formatInstant(reason.until)}>
            {" "}
            ({formatRelativeTime(reason.until, now())})
          </span>
        )}
      </p>
      {reason.action !== undefined && (
        <div class="reason-act">
          {act !== undefined && <WhyButton act={act} />}
          <span class="soft">{reason.action}</span>
        </div>
      )}
      {reason.ids !== undefined && <TaskLinks ids={reason.ids} />}
      {reason.last_text !== undefined && reason.last_text !== "" && (
        <blockquote>
          <Markdown text={reason.last_text} />
        </blockquote>
      )}
      {reason.log !== undefined && reason.log.length > 0 && <pre class="data">{reason.log.join("\n")}</pre>}
    </div>
  );
}

/** Tasks by their ids, each a way into its own drawer. */
export function TaskLinks({ ids }: { ids: readonly TaskId[] }) {
  const { route } = useServices();
  return (
    <p class="task-links">
      {ids.map((id) => (
        <a key={id} href={formatRoute({ view: "board", id, query: route.get().query })}>
          <code>{id}</code>
        </a>
      ))}
    </p>
  );
}
