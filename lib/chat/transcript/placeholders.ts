import * as z from "zod";
import type { Transcript } from "../../contracts/chat/chat.js";
import { type Lineage, SECRET_TYPES, type StoredSecrets } from "../../safety/redact/redact.js";

/** Lineage record: hashes of the secrets that were met and the placeholders that stand for them (core part, 11.2, 22.3). */
const RECORD = "placeholders";

const recordSchema = z.object({
  key: z.string().min(1),
  secrets: z.array(z.object({ hash: z.string(), type: z.enum(SECRET_TYPES), n: z.int().positive() })),
});

/** Let the lineage go on from what is stored of it, before anything of it is redacted. */
export async function restorePlaceholders(transcript: Transcript, lineage: Lineage): Promise<void> {
  if (!lineage.restored) lineage.restore(parseRecord(await transcript.record(RECORD)));
}

/** An unreadable record counts as missing: placeholders in the transcript then stand for values that have to be read again. */
function parseRecord(json: string | undefined): StoredSecrets | undefined {
  if (json === undefined) return undefined;
  try {
    return recordSchema.parse(JSON.parse(json));
  } catch {
    return undefined; // written by a version that kept it otherwise
  }
}

/** For a child, whose secrets are those of its parent: the parent's record keeps them, with the parent's next message. */
export const ofParent = (lineage: Lineage): Lineage => ({
  placeholder: (value, type) => lineage.placeholder(value, type),
  issued: (text) => lineage.issued(text),
  resolve: (text) => lineage.resolve(text),
  restore: () => undefined,
  restored: true,
  unsaved: () => undefined,
  saved: () => undefined,
});

/** Store the placeholders that are not stored yet, before a text that shows one of them is. */
export async function savePlaceholders(transcript: Pick<Transcript, "setRecord">, lineage: Lineage): Promise<void> {
  const unsaved = lineage.unsaved();
  if (unsaved === undefined) return;
  await transcript.setRecord(RECORD, JSON.stringify(unsaved));
  lineage.saved(unsaved);
}

/** The same transcript; a new placeholder is stored before any text that shows it. */
export function withStoredPlaceholders(transcript: Transcript, lineage: Lineage): Transcript {
  const save = () => savePlaceholders(transcript, lineage);
  /** `write` of the same transcript, once nothing is unsaved. */
  const first = <R>(write: () => Promise<R>): Promise<R> => save().then(write);
  return {
    get session() {
      return transcript.session;
    },
    ...(transcript.joins === true ? { joins: true } : {}),
    messages: () => transcript.messages(),
    record: (name) => transcript.record(name),
    addUsage: (turn, usage, promptTokens) => transcript.addUsage(turn, usage, promptTokens),
    beginTurn: (message, request, item) => first(() => transcript.beginTurn(message, request, item)),
    append: (turn, added, along) => first(() => transcript.append(turn, added, along)),
    draft: (turn, text) => first(() => transcript.draft(turn, text)),
    event: (turn, kind, data) => first(() => transcript.event(turn, kind, data)),
    setSystemPrompt: (prompt, model, provider) => first(() => transcript.setSystemPrompt(prompt, model, provider)),
    nextSegment: (next) => first(() => transcript.nextSegment(next)),
    previousSegment: (previous) => first(() => transcript.previousSegment(previous)),
    addSideUsage: (use, turn) => transcript.addSideUsage(use, turn),
    setRecord: (name, json) => first(() => transcript.setRecord(name, json)),
    endTurn: (turn, result) => first(() => transcript.endTurn(turn, result)),
  };
}
