import { comesLate, type DatedEvent } from "../../../contracts/wire/late-deltas.js";
import type { PagePlace, SessionPage } from "../../../contracts/wire/shapes/session-page.js";
import type { MessageJson } from "../../../contracts/wire/shapes/sessions.js";

type Data = Readonly<Record<string, unknown>>;

/** A message as front ends get it; of a very long one the beginning. */
export type Message = MessageJson;

/** A call that works at this moment. */
export interface WorkingCall {
  readonly name: string;
  readonly preview: string;
  /** The end of what it has said so far. */
  readonly output: string;
}

/** What the page knows of a conversation. */
export interface PageTranscript {
  readonly messages: readonly Message[];
  /** Older messages stand before this place; null: nothing does. */
  readonly older: PagePlace | null;
  /** What streams: the answer, and the thinking before it. */
  readonly answer: string;
  readonly thinking: string;
  readonly working: ReadonlyMap<string, WorkingCall>;
  /** What the turn does; undefined: none runs. */
  readonly phase: string | undefined;
  /** When the newest answer was stored: pieces of it that come later are in it. */
  readonly storedAt: number;
  /** Notices in between, by the message that they came behind. */
  readonly notices: readonly TranscriptNotice[];
}

export interface TranscriptNotice {
  readonly behind: number;
  readonly level: "info" | "warning" | "error";
  readonly text: string;
}

/** A conversation of which nothing is known yet. */
export const NO_TRANSCRIPT: PageTranscript = {
  messages: [],
  older: null,
  answer: "",
  thinking: "",
  working: new Map(),
  phase: undefined,
  storedAt: Number.NEGATIVE_INFINITY,
  notices: [],
};

/** Ends of outputs and streams that are kept. */
const OUTPUT_CHARS = 4_000;
const NOTICES = 50;

/** The conversation as it was read. What streams goes on. */
export const withPage = (now: PageTranscript, page: SessionPage): PageTranscript => ({
  ...now,
  messages: page.messages,
  older: page.older,
});

/** The same with older messages before it. */
export function withOlder(now: PageTranscript, page: SessionPage): PageTranscript {
  const known = new Set(now.messages.map(({ id }) => id));
  return {
    ...now,
    messages: [...page.messages.filter(({ id }) => !known.has(id)), ...now.messages],
    older: page.older,
  };
}

/** The turn that runs when the view opens: what it does and what it has said. */
export function withView(now: PageTranscript, { turn_id, phase, streamed }: Data): PageTranscript {
  if (typeof turn_id !== "string") return { ...now, phase: undefined };
  const said = typeof streamed === "string" ? streamed : "";
  return { ...now, phase: phaseWord(phase), answer: said.length > now.answer.length ? said : now.answer };
}

/** What an event of the conversation changes. Unknown ones change nothing: a newer owner may send more. */
export function heard(now: PageTranscript, told: DatedEvent & { readonly data: Data }): PageTranscript {
  const { event, at, data } = told;
  const change = HEARD[event];
  if (change === undefined || comesLate(told, now.storedAt)) return now;
  const next = change(now, data);
  return event === "message.added" && data["role"] === "assistant" ? { ...next, storedAt: Date.parse(at) } : next;
}

const quiet = (now: PageTranscript): PageTranscript => ({ ...now, answer: "", thinking: "" });
const text = (data: Data, name: string): string => (typeof data[name] === "string" ? data[name] : "");

const HEARD: Readonly<Record<string, (now: PageTranscript, data: Data) => PageTranscript>> = {
  "turn.started": (now) => ({ ...quiet(now), working: new Map(), phase: "thinking" }),
  "turn.phase": (now, data) => ({ ...now, phase: data["phase"] === "idle" ? undefined : phaseWord(data["phase"]) }),
  "turn.ended": turnEnded,
  "text.reset": (now) => ({ ...now, answer: "" }),
  "text.delta": (now, data) => ({ ...now, phase: "writing", answer: grown(now.answer, data) }),
  "reasoning.delta": (now, data) => ({ ...now, thinking: now.thinking + text(data, "text") }),
  "message.added": added,
  "tool.started": (now, data) =>
    working(now, data, { name: text(data, "name"), preview: text(data, "preview"), output: "" }),
  "tool.progress": (now, data) => {
    const known = now.working.get(text(data, "call_id"));
    return known === undefined
      ? now
      : working(now, data, { ...known, output: (known.output + text(data, "text")).slice(-OUTPUT_CHARS) });
  },
  "tool.ended": (now, data) => working(now, data, undefined),
  notice: (now, data) => noticed(now, levelOf(data), text(data, "text")),
  retry: (now, data) =>
    noticed(
      now,
      "warning",
      `Asked again (${Number(data["attempt"])} of ${Number(data["of"])}): ${text(data, "cause")}`,
    ),
  "steer.accepted": (now, data) => noticed(now, "info", `Steering: ${text(data, "text")}`),
};

/** An offset says where in the whole answer a piece belongs: what is there already is passed over. */
function grown(answer: string, data: Data): string {
  const piece = text(data, "text");
  const { offset } = data;
  return typeof offset === "number" ? answer.slice(0, offset) + piece : answer + piece;
}

/** A message takes the place of what streamed of it. */
function added(now: PageTranscript, data: Data): PageTranscript {
  if (typeof data["id"] !== "number") return now;
  const message = data as unknown as Message; // the event holds the stored message, or its id alone when it was deleted since
  const messages = [...now.messages.filter(({ id }) => id !== message.id), message].toSorted((a, b) => a.id - b.id);
  return message.role === "assistant" ? { ...quiet(now), messages } : { ...now, messages };
}

function working(now: PageTranscript, data: Data, call: WorkingCall | undefined): PageTranscript {
  if (data["parent_call_id"] !== undefined) return now;
  const next = new Map(now.working);
  if (call === undefined) next.delete(text(data, "call_id"));
  else next.set(text(data, "call_id"), call);
  return { ...now, working: next, phase: call === undefined ? "thinking" : call.name };
}

function turnEnded(now: PageTranscript, data: Data): PageTranscript {
  const over: PageTranscript = { ...quiet(now), working: new Map(), phase: undefined };
  const { error } = data;
  if (typeof error === "object" && error !== null && "message" in error)
    return noticed(over, "error", String(error.message));
  return data["interrupted"] === true ? noticed(over, "info", "Interrupted.") : over;
}

/** Something told behind the last message; no part of the conversation. */
export const noticed = (now: PageTranscript, level: TranscriptNotice["level"], told: string): PageTranscript => ({
  ...now,
  notices: [...now.notices, { behind: now.messages.at(-1)?.id ?? 0, level, text: told }].slice(-NOTICES),
});

const levelOf = ({ level }: Data): TranscriptNotice["level"] =>
  level === "error" || level === "warning" ? level : "info";

const phaseWord = (phase: unknown): string =>
  typeof phase !== "string" || phase === "" || phase === "waiting_model" ? "thinking" : phase;

/** The segment in which a conversation goes on after this event; undefined: in the same one. */
export function segmentBehind(event: string, data: Data): string | undefined {
  if (event !== "compaction.ended" && event !== "compaction.undone") return undefined;
  const id = data["new_session_id"];
  return typeof id === "string" ? id : undefined;
}

/** Events after which the conversation is not what was read: messages went, came back, or it goes on in another segment. */
export const isUpheaval = (event: string): boolean =>
  event === "message.hidden" ||
  event === "message.restored" ||
  event === "compaction.ended" ||
  event === "compaction.undone";
