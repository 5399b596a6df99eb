import type { MessageRecord, Transcript } from "../../contracts/chat/chat.js";

/** A transcript that knows what it has read and written. */
export interface CachedTranscript extends Transcript {
  /** The conversation was changed by another process: it is read again, through this transcript. */
  replace(transcript: Transcript): void;
}

/**
 * A transcript whose messages are read once and then kept as they are written: a long turn does not read its whole history again for every
 * request. One conversation writes a session at a time; whatever else changes it says so with `replace`.
 */
export function cacheTranscript(first: Transcript): CachedTranscript {
  let transcript = first;
  let kept: MessageRecord[] | undefined;
  const keep = (messages: readonly MessageRecord[]) => kept?.push(...messages);
  return {
    get session() {
      return transcript.session;
    },
    get joins() {
      return transcript.joins === true;
    },
    replace: (next) => {
      transcript = next;
      kept = undefined;
    },
    messages: async () => {
      kept ??= [...(await transcript.messages())];
      return kept;
    },
    beginTurn: async (message, request, item) => {
      const begun = await transcript.beginTurn(message, request, item);
      keep([begun.message]);
      return begun;
    },
    append: async (turn, messages, along) => {
      const stored = await transcript.append(turn, messages, along);
      keep(stored);
      return stored;
    },
    draft: (turn, text) => transcript.draft(turn, text),
    event: (turn, kind, data) => transcript.event(turn, kind, data),
    addUsage: (turn, usage, promptTokens) => transcript.addUsage(turn, usage, promptTokens),
    setSystemPrompt: (prompt, model, provider) => transcript.setSystemPrompt(prompt, model, provider),
    nextSegment: async (next) => {
      kept = [...(await transcript.nextSegment(next))];
      return kept;
    },
    previousSegment: async (previous) => {
      kept = [...(await transcript.previousSegment(previous))];
      return kept;
    },
    addSideUsage: (use, turn) => transcript.addSideUsage(use, turn),
    record: (name) => transcript.record(name),
    setRecord: (name, json) => transcript.setRecord(name, json),
    endTurn: (turn, result) => transcript.endTurn(turn, result),
  };
}
