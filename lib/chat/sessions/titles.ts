import type { Store } from "../../../storage/store.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import { sessionInfo } from "../transcript/session-record.js";
import { modelTitle, titleFrom } from "../transcript/sessions-title.js";

export interface TitleDeps {
  readonly clock: Clock;
  readonly aux: Pick<AuxClient, "ask">;
}

/** Sources whose conversations are lists of one: a better title would not be read. */
const ONE_SHOTS: ReadonlySet<string> = new Set(["cli", "worker", "cron", "subagent", "tool", "background"]);
/** A title is asked for after these turns. */
const TURNS = 2;
/** Of each side. */
const SIDE_CHARS = 500;
const READ = 12;

const SYSTEM =
  "You name conversations. Answer with a title of 3 to 7 words for this one, in its language, and with nothing else.";

/**
 * Give a conversation of a person a better title than the beginning of its first message (core part, 11.3): one question to the auxiliary model after
 * the first or second turn. A title that the user gave, or that came meanwhile, stays.
 */
export async function improveTitle(
  { clock, aux }: TitleDeps,
  store: Store,
  id: SessionId,
  signal: AbortSignal,
): Promise<void> {
  const found = await store.read((q) => candidate(q, id));
  if (found === undefined) return;
  const answer = await aux.ask(
    { slot: "title_generation", system: SYSTEM, user: found.said, temperature: 0.3, maxOutputTokens: 64 },
    signal,
  );
  const title = answer.ok ? modelTitle(answer.text) : "";
  if (title === "") return;
  const at = clock.now();
  await store.write("chat.title", async (tx) => {
    if ((await sessions.improveTitle(tx, id, { from: found.title, to: title })) === 0) return;
    const session = await sessions.get(tx, id);
    if (session) tx.emit({ kind: "session.info", at, session: id, payload: sessionInfo(session) });
  });
}

interface Candidate {
  readonly title: string;
  /** The beginning of both sides. */
  readonly said: string;
}

async function candidate(
  q: Parameters<Parameters<Store["read"]>[0]>[0],
  id: SessionId,
): Promise<Candidate | undefined> {
  const session = await sessions.get(q, id);
  if (session === undefined || !isOpenToIt(session)) return undefined;
  const page = await messages.page(q, id, { after: 0, limit: READ });
  const asked = page.filter(({ role }) => role === "user");
  const [first] = asked;
  const answer = page.find(({ role, content }) => role === "assistant" && content !== "");
  if (first === undefined || answer === undefined || asked.length > TURNS || session.title !== titleFrom(first.content))
    return undefined;
  const side = (text: string) => text.slice(0, SIDE_CHARS).replace(/[\ud800-\udbff]$/, "");
  return { title: session.title, said: `User: ${side(first.content)}\n\nAssistant: ${side(answer.content)}` };
}

/** The beginning of the first message is a title of ours; anything else is not touched. */
const isOpenToIt = (session: SessionRecord): boolean =>
  session.title !== null && session.title_source === "auto" && !session.ephemeral && !ONE_SHOTS.has(session.source);
