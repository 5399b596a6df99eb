import { faultPoint } from "../../base/fault.js";
import type { TurnId } from "../../base/units.js";
import type {
  FinishReason,
  ModelFailure,
  ModelRequest,
  Replay,
  ToolCall,
  Usage,
} from "../../contracts/models/model.js";
import { keepDraft } from "./draft.js";
import { choiceOf } from "./failover.js";
import { liveText } from "./live-text.js";
import type { TurnDeps } from "./turn-types.js";

/** What came of one request. */
export type RoundAnswer =
  | {
      readonly ok: true;
      readonly finish: FinishReason;
      readonly content: string;
      readonly reasoning: string;
      readonly toolCalls: readonly ToolCall[];
      readonly usage: Usage | undefined;
      readonly replay?: Replay;
    }
  | { readonly ok: false; readonly failure: ModelFailure; readonly partial: string };

/** Ask once, show what streams, and keep the text so far as the draft of the turn. */
export async function askOnce(
  deps: TurnDeps,
  turn: TurnId,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<RoundAnswer> {
  const draft = keepDraft(deps, turn);
  const text = liveText(deps.clock, deps.redactStream, (shown) => deps.live("text.delta", { text: shown }));
  const reasoning = liveText(deps.clock, deps.redactStream, (shown) => deps.live("reasoning.delta", { text: shown }));
  deps.live("turn.phase", { phase: "waiting_model" });
  try {
    for await (const event of deps.ask(choiceOf(deps), request, signal, deps.failover?.left === true)) {
      if (event.type === "done") return { ok: true, ...event };
      if (event.type === "failed") return { ok: false, failure: event.failure, partial: event.partial };
      if (event.type === "side") {
        const { type: _type, ...use } = event;
        await deps.transcript.addSideUsage(use, turn);
        continue;
      }
      if (event.type === "text") {
        faultPoint("turn.streaming");
        draft.add(event.text);
        reasoning.flush();
        text.add(event.text);
        continue;
      }
      text.flush();
      if (event.type === "reasoning") reasoning.add(event.text);
      else if (event.type === "tool.generating") deps.live("tool.generating", { name: event.name });
      else {
        if (event.type === "text.reset") {
          text.reset();
          draft.reset();
        }
        tell(deps, event);
      }
    }
  } finally {
    reasoning.end();
    text.end();
    await draft.settled();
  }
  return {
    ok: false,
    partial: "",
    failure: { class: "unknown", message: "the provider ended without an answer", retry: true },
  };
}

/** What else a request tells of itself, as screens hear it. */
function tell(
  deps: TurnDeps,
  event: { readonly type: string; readonly cause?: string; readonly waitMs?: number },
): void {
  const { type, waitMs, ...data } = event;
  if (type === "retry") deps.live("turn.phase", { phase: "retry" });
  deps.live(type, {
    ...data,
    ...(waitMs === undefined ? {} : { wait_ms: waitMs }),
    ...(event.cause === undefined ? {} : { cause: deps.redact(event.cause) }),
  });
}
