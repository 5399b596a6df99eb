import { useState } from "preact/hooks";
import type { Run, RunUsage } from "../../../../contracts/board/board.js";
import { Markdown } from "../../markdown-view.js";
import { TranscriptView } from "../../transcript/transcript-view.js";
import { useTranscript } from "../../transcript/use-transcript.js";
import { dollars, formatShortCount } from "../../words/amounts.js";
import { formatInstant, formatRelativeTime, formatSpan } from "../../words/time.js";
import { useOrchestration } from "../orchestration/orchestration.js";
import { useOpenTask } from "./drawer-context.js";
import { Process } from "./process.js";

/** One attempt: who, how long, how it ended, what it used, what it said. */
export function RunCard({ run }: { run: Run }) {
  const { now } = useOpenTask();
  const [talk, setTalk] = useState(false);
  const open = run.ended_at === null;
  const here = useOrchestration()?.active_profile;
  // Each profile keeps its conversations in a home of its own.
  const elsewhere = here !== undefined && run.profile !== here;
  return (
    <li class={`run run-${run.status}`}>
      <div class="run-head">
        <strong>Run {run.id}</strong>
        <span class={`chip ${open ? "chip-live" : run.outcome === "completed" ? "chip-good" : "chip-bad"}`}>
          {run.status.replaceAll("_", " ")}
        </span>
        <span class="soft">
          {run.profile} · <time title={formatInstant(run.started_at)}>{formatRelativeTime(run.started_at, now())}</time>{" "}
          · {formatSpan((run.ended_at ?? now()) - run.started_at)}
        </span>
      </div>
      {open && (
        <p class="soft">
          Last heartbeat {formatRelativeTime(run.last_heartbeat_at, now())}
          {run.worker_pid !== null && `, process ${run.worker_pid}`}
          {run.max_runtime_seconds !== null && `, at most ${formatSpan(run.max_runtime_seconds)}`}
        </p>
      )}
      {run.usage !== null && <p class="soft">{usageLine(run.usage)}</p>}
      {run.error !== null && (
        <p class="problem">
          {run.error}
          {run.error_class !== null && ` (${run.error_class})`}
        </p>
      )}
      {run.end_reason !== null && <p class="soft">{run.end_reason.replaceAll("_", " ")}</p>}
      {run.exit_code !== null && run.exit_code !== 0 && <p class="soft">exit code {run.exit_code}</p>}
      {run.exit_signal !== null && <p class="soft">ended by {run.exit_signal}</p>}
      {run.summary !== null && <Markdown text={run.summary} />}
      {run.metadata !== null && (
        <details>
          <summary>Metadata</summary>
          <pre class="data">{JSON.stringify(run.metadata, undefined, 2)}</pre>
        </details>
      )}
      <div class="buttons">
        {run.session_id !== null && (
          <>
            <button type="button" class="small" aria-expanded={talk} onClick={() => setTalk(!talk)}>
              Conversation
            </button>
            {!elsewhere && <a href={`#/sessions/${encodeURIComponent(run.session_id)}`}>Open it by itself</a>}
          </>
        )}
        {open && <Process run={run.id} />}
      </div>
      {talk && run.session_id !== null && (elsewhere ? <Elsewhere run={run} /> : <Talk session={run.session_id} />)}
    </li>
  );
}

/** What the worker and its model say to each other, live. Questions are answered where the conversation is open by itself. */
function Talk({ session }: { session: string }) {
  return <TranscriptView conversation={useTranscript(session, "looks")} />;
}

/** Why the conversation of a run is not shown, and where it is. */
function Elsewhere({ run: { profile, session_id } }: { run: Run }) {
  return (
    <p class="soft">
      The conversation is kept by the profile {profile}, and this page shows another one. It is read with{" "}
      <code>
        agent -p {profile} sessions show {session_id}
      </code>
      .
    </p>
  );
}

/** Tokens and money of a run. */
const usageLine = ({ input_tokens, output_tokens, cached_tokens, api_calls, cost_usd }: RunUsage): string =>
  `${formatShortCount(input_tokens)} in, ${formatShortCount(output_tokens)} out, ${formatShortCount(cached_tokens)} cached · ${api_calls} requests · ${dollars(cost_usd)}`;
