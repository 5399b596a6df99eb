import { Markdown } from "../markdown-view.js";
import type { PageTranscript } from "./state.js";

/** What the turn does at this moment: what streams, and which calls work. */
export function LiveItem({ now }: { now: PageTranscript }) {
  if (now.phase === undefined) return null;
  return (
    <div class="live">
      {now.thinking !== "" && now.answer === "" && (
        <details class="reasoning" open>
          <summary>Thinking</summary>
          <Markdown text={now.thinking} />
        </details>
      )}
      {now.answer !== "" && <Markdown text={now.answer} />}
      {[...now.working].map(
        ([id, { name, preview, output }]) =>
          output !== "" && (
            <div key={id} class="call">
              <code>{name}</code> <span class="soft">{preview}</span>
              <pre class="data">{output}</pre>
            </div>
          ),
      )}
      <p class="phase" role="status">
        <span class="dot dot-busy" aria-hidden="true" />
        {PHASES[now.phase] ?? now.phase}
      </p>
    </div>
  );
}

const PHASES: Readonly<Record<string, string>> = {
  thinking: "Thinking…",
  writing: "Writing…",
  approval: "Waits for your answer",
  question: "Waits for your answer",
  retry: "Asking again…",
  compacting: "Compacting…",
  interrupting: "Stopping…",
  tool: "Working…",
};
