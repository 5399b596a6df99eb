import type { Clock } from "../../base/time/clock.js";
import type { ChatMessage, ModelEvent, ModelRequest, Provider, Usage } from "../../contracts/models/model.js";
import { NO_USAGE } from "../../contracts/models/model.js";
import { answerTo } from "./answer.js";

/** Name of the only model. */
export const OFFLINE_MODEL = "offline-1";

/** Window of the stand-in in tokens (core part, 3.8). */
export const OFFLINE_WINDOW = 128_000;

/** Numbers streamed between two looks at the clock's queue, so that an interrupt gets through. */
const BURST = 50;

/** The rule-based stand-in: no network, no key, the same conversation gives the same bytes. */
export function offlineProvider(clock: Clock): Provider {
  return {
    id: "offline",
    baseUrl: "",
    models: async () => [OFFLINE_MODEL],
    stream: (request, signal) => stream(clock, request, signal),
  };
}

async function* stream(clock: Clock, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, void> {
  const answer = answerTo({ request, now: clock.now() });
  let content = "";
  for (const piece of piecesOf(answer.count, answer.text)) {
    if (signal.aborted) {
      yield {
        type: "failed",
        failure: { class: "aborted", message: "the request was stopped", retry: false },
        partial: content,
      };
      return;
    }
    content += piece.text;
    yield { type: "text", text: piece.text };
    // Lets timers and input run; a count of thousands must not block an interrupt.
    if (piece.pause) await clock.sleep(0);
  }
  for (const call of answer.calls) yield { type: "tool.generating", name: call.name };
  yield {
    type: "done",
    finish: answer.calls.length > 0 ? "tool_calls" : "stop",
    content,
    reasoning: "",
    toolCalls: answer.calls,
    usage: usageOf(request.messages, content),
    model: OFFLINE_MODEL,
  };
}

function* piecesOf(count: number | undefined, text: string): Generator<{ text: string; pause: boolean }> {
  for (let n = 1; n <= (count ?? 0); n++) yield { text: n === 1 ? "1" : `\n${n}`, pause: n % BURST === 0 };
  if (text === "") return;
  const whole = count === undefined ? text : `\n\n${text}`;
  for (const line of whole.split(/(?<=\n)/)) yield { text: line, pause: false };
}

/** Four characters count as one token. */
function usageOf(messages: readonly ChatMessage[], content: string): Usage {
  const characters = messages.reduce((sum, message) => sum + message.content.length, 0);
  return { ...NO_USAGE, input: Math.ceil(characters / 4), output: Math.ceil(content.length / 4) };
}
