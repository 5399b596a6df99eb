import type { TurnId } from "../../base/units.js";
import type {
  Along,
  MessageRecord,
  NewMessage,
  SessionRecord,
  Transcript,
  TurnResult,
} from "../../contracts/chat/chat.js";
import type { NextSegment, PreviousSegment, SideUse } from "../../contracts/chat/compact.js";
import type { Usage } from "../../contracts/models/model.js";
import type { TranscriptSegment } from "./segment.js";
import type { TranscriptMethod } from "./transcript-methods.js";

/** One call to the owner. Rejects with the owner's `AppError`. */
export type TranscriptCall = (method: TranscriptMethod, params: unknown) => Promise<unknown>;

/** The transcript of a worker: every method is a call to the owner, which answers when the change is durable. */
export function remoteTranscript(call: TranscriptCall, session: SessionRecord): Transcript {
  return new RemoteTranscript(call, session);
}

// Answers come from `transcriptMethods` of the owner of the same version, which returns what the interface says.
class RemoteTranscript implements Transcript {
  readonly #call: TranscriptCall;
  #session: SessionRecord;
  /** Requests counted so far, and assistant messages of the open turn: the place of what is sent, should it have to be sent again. */
  #calls: number;
  #answers = 0;

  constructor(call: TranscriptCall, session: SessionRecord) {
    this.#call = call;
    this.#session = session;
    this.#calls = session.api_call_count;
  }

  get session(): SessionRecord {
    return this.#session;
  }

  async messages(): Promise<readonly MessageRecord[]> {
    return (await this.#send("transcript.messages", {})) as readonly MessageRecord[]; // see above
  }

  async beginTurn(message: NewMessage): Promise<{ turn: TurnId; message: MessageRecord }> {
    this.#answers = 0;
    return (await this.#send("transcript.begin", { message })) as { turn: TurnId; message: MessageRecord }; // see above
  }

  async append(turn: TurnId, messages: readonly NewMessage[], along?: Along): Promise<readonly MessageRecord[]> {
    const answers = this.#answers;
    this.#answers += messages.filter((one) => one.role === "assistant").length;
    if (along?.usage !== undefined) this.#calls += 1;
    return (await this.#send("transcript.append", {
      turn,
      messages,
      answers,
      ...(along === undefined ? {} : { along }),
    })) as readonly MessageRecord[]; // see above
  }

  async draft(turn: TurnId, text: string): Promise<void> {
    await this.#send("transcript.draft", { turn, text });
  }

  async event(turn: TurnId | undefined, kind: string, data: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#send("transcript.event", { ...(turn === undefined ? {} : { turn }), kind, data });
  }

  async addUsage(turn: TurnId, usage: Usage, promptTokens: number): Promise<void> {
    const calls = this.#calls;
    this.#calls += 1;
    await this.#send("transcript.usage", { turn, usage, prompt_tokens: promptTokens, calls });
  }

  async setSystemPrompt(prompt: string, model: string, provider: string): Promise<void> {
    await this.#send("transcript.prompt", { prompt, model, provider });
    this.#session = { ...this.#session, system_prompt: prompt, model, provider };
  }

  async record(name: string): Promise<string | undefined> {
    const value = await this.#send("transcript.record", { name });
    return typeof value === "string" ? value : undefined;
  }

  async setRecord(name: string, json: string): Promise<void> {
    await this.#send("transcript.set_record", { name, json });
  }

  async nextSegment(next: NextSegment): Promise<readonly MessageRecord[]> {
    return this.#goOnIn(await this.#send("transcript.next_segment", { next }));
  }

  async previousSegment(previous: PreviousSegment): Promise<readonly MessageRecord[]> {
    return this.#goOnIn(await this.#send("transcript.previous_segment", { previous }));
  }

  /** Counters and places start over with the segment. */
  #goOnIn(answer: unknown): readonly MessageRecord[] {
    const { session, messages } = answer as TranscriptSegment; // see above
    const turn = messages.findLast((one) => one.turn_id !== "")?.turn_id;
    this.#session = session;
    this.#calls = session.api_call_count;
    this.#answers = messages.filter((one) => one.role === "assistant" && one.turn_id === turn).length;
    return messages;
  }

  async addSideUsage(use: SideUse, turn?: TurnId): Promise<void> {
    await this.#send("transcript.side_usage", { use, ...(turn === undefined ? {} : { turn }) });
  }

  async endTurn(turn: TurnId, result: TurnResult): Promise<void> {
    await this.#send("transcript.end", { turn, result });
  }

  #send(method: TranscriptMethod, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    return this.#call(method, { session: this.#session.id, ...params });
  }
}
