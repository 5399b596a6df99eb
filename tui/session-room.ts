import { segmentAfter } from "../lib/proto/compaction-lines.js";
import { type Data, number, text } from "./data.js";
import { sanitizeLine } from "./sanitize.js";
import type { SessionState } from "./session.js";
import type { Room, State } from "./state.js";

/** What the shown conversation does at this moment, and what it has cost. */
export const SESSION_ROOM: Room = {
  update: (state, message) => {
    if (message.type === "session") {
      const { id, title, model } = message;
      return [{ ...state, session: { ...state.session, id, title, model } }, []];
    }
    if (message.type === "view") return [{ ...state, session: viewed(state, message.view) }, []];
    if (message.type === "questions") return [{ ...state, session: { ...state.session, yolo: message.yolo } }, []];
    if (message.type !== "chat") return undefined;
    const session = { ...state.session, ...changed(state, message.event, message.data) };
    return [{ ...state, session }, []];
  },
};

function changed(state: State, event: string, data: Data): Partial<SessionState> {
  switch (event) {
    case "turn.started":
      return { turnSince: state.now, phase: "thinking", interruptedAt: undefined };
    case "turn.phase":
      return { phase: phaseName(text(data, "phase"), state.session.phase) };
    case "text.delta":
      return { phase: "writing" };
    case "tool.started":
      return { phase: sanitizeLine(text(data, "name")) };
    case "tool.ended":
      return { phase: "thinking" };
    case "retry":
      return { phase: `retry ${number(data, "attempt")}/${number(data, "of")}: ${sanitizeLine(text(data, "cause"))}` };
    case "usage":
      return { tokens: { ...state.session.tokens, prompt: number(data, "last_prompt_tokens") } };
    case "session.info":
      return informed(data);
    case "turn.ended":
      return ended(state.session, data);
    default:
      return event.startsWith("compaction.") ? compaction(state.session, event, data) : {};
  }
}

const phaseName = (phase: string, before: string): string => (phase === "waiting_model" ? "thinking" : phase === "" ? before : phase);

/** What is told of the session itself; it says what has changed. */
const informed = ({ yolo, title }: Data): Partial<SessionState> => ({
  ...(typeof yolo === "boolean" ? { yolo } : {}),
  ...(typeof title === "string" ? { title: sanitizeLine(title) } : {}),
});

function ended(session: SessionState, data: Data): Partial<SessionState> {
  const tokens = {
    input: session.tokens.input + number(data, "input_tokens"),
    output: session.tokens.output + number(data, "output_tokens"),
    window: number(data, "context_window"),
    prompt: number(data, "last_prompt_tokens"),
  };
  const model = text(data, "model");
  return { turnSince: undefined, phase: "idle", tokens, model: model === "" ? session.model : sanitizeLine(model) };
}

/** The conversation goes on in another segment. */
function compaction(session: SessionState, event: string, data: Data): Partial<SessionState> {
  return { id: segmentAfter(event, data) ?? session.id, phase: event === "compaction.started" ? "compacting" : session.phase };
}

/** The conversation as its owner has it when this screen begins to look. */
function viewed({ session, now }: State, { turn_id: turn, phase }: Data): SessionState {
  if (typeof turn !== "string") return session;
  const told = typeof phase === "string" && phase !== "waiting_model" ? sanitizeLine(phase) : "thinking";
  return { ...session, turnSince: session.turnSince ?? now, phase: told };
}
