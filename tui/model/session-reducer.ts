import { segmentAfter } from "../../lib/contracts/chat/compaction-lines.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { type Data, text } from "./data.js";
import { modelName, NO_SESSION, type SessionState } from "./session.js";
import type { Reducer, State } from "./state.js";

/** What the shown conversation does at this moment, and what it has cost. */
export const sessionReducer: Reducer = (state, message) => {
  if (message.type === "session") {
    const { id, title, model } = message;
    // What the one before it did is nothing to another conversation.
    const base =
      state.session.id === undefined || state.session.id === id || message.fresh !== true ? state.session : NO_SESSION;
    const known = base.id === id ? { title: title || base.title, model: model || base.model } : { title, model }; // read again it is what it was
    return [{ ...state, session: { ...base, id, ...known } }, []];
  }
  if (message.type === "view") return [{ ...state, session: viewed(state, message.view) }, []];
  if (message.type === "questions") return [{ ...state, session: { ...state.session, yolo: message.yolo } }, []];
  if (message.type !== "chat") return undefined;
  const session = { ...state.session, heardAt: state.now, ...changed(state, message.event, message.data) };
  return [{ ...state, session: interrupted(state.session, session) }, []];
};

/** Whatever the turn still tells, it is being interrupted until it has ended. */
const interrupted = (before: SessionState, now: SessionState): SessionState =>
  before.interruptedAt !== undefined && now.interruptedAt !== undefined && now.turnSince !== undefined
    ? { ...now, phase: "interrupting" }
    : now;

function changed(state: State, event: string, data: Data): Partial<SessionState> {
  switch (event) {
    case "turn.started":
      return { turnSince: state.now, phase: "thinking", interruptedAt: undefined, program: "" };
    case "turn.phase":
      return {
        phase: phaseName(text(data, "phase"), state.session.phase, sanitizeLine(text(data, "detail"))),
        program: sanitizeLine(text(data, "program")),
      };
    case "text.delta":
      return { phase: "writing" };
    case "tool.started":
      return { phase: sanitizeLine(text(data, "name")) };
    case "tool.ended":
      return { phase: "thinking" };
    case "fallback":
      return { model: served(data["to"]) ?? state.session.model };
    case "session.info":
      return informed(data);
    case "turn.ended":
      return ended(state.session, data);
    default:
      return event.startsWith("compaction.") ? compaction(state.session, event, data) : {};
  }
}

/** What a program says of its state while the model is waited for is shown in the place of the phase. */
const phaseName = (phase: string, before: string, detail: string): string =>
  phase === "waiting_model" ? detail || "thinking" : phase === "" ? before : phase;

/** Reports about the session itself; it says what has changed. */
const informed = ({ yolo, title }: Data): Partial<SessionState> => ({
  ...(typeof yolo === "boolean" ? { yolo } : {}),
  ...(typeof title === "string" ? { title: sanitizeLine(title) } : {}),
});

function ended(session: SessionState, data: Data): Partial<SessionState> {
  const over = { turnSince: undefined, interruptedAt: undefined, phase: "idle", program: "" };
  return { ...over, model: served(data) ?? session.model };
}

/** The model that an event names. */
function served(named: unknown): string | undefined {
  const data: Data = typeof named === "object" && named !== null ? { ...named } : {};
  return text(data, "model") === "" ? undefined : sanitizeLine(modelName(text(data, "provider"), text(data, "model")));
}

/** The conversation goes on in another segment. */
function compaction(session: SessionState, event: string, data: Data): Partial<SessionState> {
  return { id: segmentAfter(event, data) ?? session.id, phase: compacting(session, event) };
}

const compacting = ({ phase, turnSince }: SessionState, event: string): string =>
  event === "compaction.started"
    ? "compacting"
    : phase !== "compacting"
      ? phase
      : turnSince === undefined
        ? "idle"
        : "thinking";

/** The conversation as its owner has it when this screen begins to look. */
function viewed({ session, now, wall }: State, data: Data): SessionState {
  const { turn_id: turn, turn_started_at: started, phase } = data;
  if (typeof turn !== "string") return session;
  const told = typeof phase === "string" && phase !== "waiting_model" ? sanitizeLine(phase) : "thinking";
  return {
    ...session,
    turnSince: session.turnSince ?? (typeof started === "number" ? now - Math.max(0, wall - started) : now),
    phase: told,
    program: sanitizeLine(text(data, "program")),
    heardAt: now,
  };
}
