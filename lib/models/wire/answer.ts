import {
  type FinishReason,
  type ModelEvent,
  type ModelFailure,
  NO_USAGE,
  type Replay,
  type Usage,
} from "../../contracts/models/model.js";
import { type Assembler, countAnswerChars, EMPTY } from "./assemble.js";
import { type CallSlot, idBaseOf, toCalls } from "./calls.js";
import { createThinkFilter } from "./think-filter.js";

/** One answer that is being put together from the events of a protocol with named events. */
export interface StreamedAnswer {
  model: string;
  usage: Usage;
  refusal: string;
  readonly content: string;
  readonly reasoning: string;
  readonly slots: readonly CallSlot[];
  /** What goes back with the next request, without the address. */
  replay: Omit<Replay, "from"> | undefined;
  text(piece: string): ModelEvent[];
  thought(piece: string): ModelEvent[];
  /** The call at a place of the answer; made and announced when it is new. */
  call(place: number, given: { readonly id: string; readonly name: string }): ModelEvent[];
  /** More of the arguments of the call at `place`; `whole` instead of what came so far. */
  args(place: number, piece: string, whole?: boolean): void;
  /** The last events. `finish` undefined: the stream ended without saying why. */
  end(finish: FinishReason | undefined): ModelEvent[];
}

export function createAnswer(model: string, requestId: string): StreamedAnswer {
  const filter = createThinkFilter();
  const slots: CallSlot[] = [];
  let content = "";
  let reasoning = "";
  const shown = (part: { text: string; reasoning: string }): ModelEvent[] => {
    content += part.text;
    reasoning += part.reasoning;
    const thought: ModelEvent[] = part.reasoning === "" ? [] : [{ type: "reasoning", text: part.reasoning }];
    return part.text === "" ? thought : [...thought, { type: "text", text: part.text }];
  };
  const slotAt = (place: number) => slots.find((slot) => slot.index === place);
  return {
    model,
    usage: NO_USAGE,
    refusal: "",
    get content() {
      return content;
    },
    get reasoning() {
      return reasoning;
    },
    slots,
    replay: undefined,
    text: (piece) => shown(filter.push(piece)),
    thought: (piece) => shown({ text: "", reasoning: piece }),
    call: (place, { id, name }) => {
      const known = slotAt(place);
      if (known) {
        Object.assign(known, { id: id || known.id, name: name || known.name });
        return [];
      }
      slots.push({ index: place, id, name, arguments: "", extra: {}, announced: true });
      return [{ type: "tool.generating", name }];
    },
    args: (place, piece, whole = false) => {
      const slot = slotAt(place);
      if (slot) slot.arguments = whole ? piece : slot.arguments + piece;
    },
    end(finish) {
      const events = shown(filter.end());
      const { calls } = toCalls(slots, idBaseOf(requestId));
      const nothing = content === "" && slots.length === 0;
      if (nothing && finish === undefined && this.refusal === "") return [...events, failed(EMPTY)];
      // Both protocols say when an answer is over: a call of one that is not may lack its last arguments, however well it reads.
      const dropped = finish === undefined;
      const reason = finish ?? "dropped";
      return [
        ...events,
        {
          type: "done",
          finish: reason,
          content: nothing && reason === "content_filter" ? this.refusal : content, // with its blanks: it may be one part of an answer
          reasoning: reasoning.trim(),
          toolCalls: dropped ? [] : calls,
          usage: this.usage === NO_USAGE ? undefined : this.usage,
          model: this.model,
          ...(dropped || this.replay === undefined ? {} : { replay: { ...this.replay, from: "" } }),
          ...(dropped && slots.length > 0 ? { callDropped: true } : {}),
        },
      ];
    },
  };
}

const failed = (failure: ModelFailure): ModelEvent => ({ type: "failed", failure, partial: "" });

/** An answer as the exchange sees it; a protocol says how it takes an event, how it ends, and when nothing more comes. */
export function assemblerOf(
  answer: StreamedAnswer,
  protocol: Pick<Assembler, "chunk"> & { finish: () => ModelEvent[]; ended: () => boolean },
): Assembler {
  return {
    chunk: protocol.chunk,
    finish: protocol.finish,
    get content() {
      return answer.content;
    },
    get size() {
      return countAnswerChars(answer);
    },
    get callInFlight() {
      return answer.slots.length > 0;
    },
    get ended() {
      return protocol.ended();
    },
  };
}
