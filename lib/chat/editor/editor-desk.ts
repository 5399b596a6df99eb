import { join, relative } from "node:path";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, SessionId } from "../../base/units.js";
import {
  EDITOR_PART_CHARS,
  EDITOR_TEXT_CHARS,
  type EditorFiles,
  type EditorNews,
  type EditorText,
  type EditorWritten,
} from "../../contracts/acp/editor-files.js";
import { isWithin, realTarget } from "../../safety/paths/paths.js";

/** An editor has this time to send a text. */
const READ_MS: Ms = 30_000;
/** An editor may show a change to its user before it writes; the time of a call ends soon after. */
const WRITE_MS: Ms = 100_000;

/** Connection of the front end of an editor. */
export interface EditorClient {
  readonly id: number;
  /** Aborts when it is gone. */
  readonly signal: AbortSignal;
}

/** What the editor of a conversation can do. */
export interface EditorOffer {
  /** As the front end names it. */
  readonly session: SessionId;
  readonly lineage: SessionId;
  /** Where the front end listens for the news that something is asked. */
  readonly channel: string;
  readonly read: boolean;
  readonly write: boolean;
  /** Directories of the conversation. */
  readonly roots: readonly string[];
}

/** What a front end answers: a text, perhaps in parts; a success without one; or why the text is missing. */
export interface EditorAnswer {
  readonly text?: string | undefined;
  /** Further parts of the text follow. */
  readonly more?: boolean | undefined;
  readonly error?: { readonly kind: "missing" | "refused"; readonly message: string } | undefined;
}

/** The editors that show conversations of this owner, and what they are asked. */
export interface EditorDesk {
  attach(offer: EditorOffer, client: EditorClient): void;
  /** @returns whether it was attached */
  detach(lineage: SessionId, client: EditorClient): boolean;
  take(channel: string, client: EditorClient): EditorNews;
  /** Part of the text to write. */
  textOf(request: string, from: number, client: EditorClient): { readonly text: string; readonly more: boolean };
  /** @returns false when the answer is not waited for any more */
  answer(request: string, given: EditorAnswer, client: EditorClient): boolean;
  /** Files of the editor that attached last; undefined: no editor shows this conversation. */
  filesOf(lineage: SessionId): EditorFiles | undefined;
}

export interface EditorDeskDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Report on the channel that there is something to take. */
  poke(channel: string): void;
}

/** One editor at one conversation. */
interface Serving {
  readonly offer: EditorOffer;
  readonly client: EditorClient;
  readonly roots: readonly { readonly real: string; readonly shown: string }[];
  readonly withdrawn: Set<string>;
  leave(): void;
}

type Outcome =
  | { readonly how: "answered"; readonly answer: EditorAnswer; readonly text: string }
  | { readonly how: "gone" }
  | { readonly how: "failed" | "unanswered"; readonly why: string };

interface Waiting {
  readonly serving: Serving;
  readonly kind: "read" | "write";
  readonly path: string;
  /** To write. */
  readonly text: string;
  /** The front end has it, and may have begun. */
  taken: boolean;
  readonly parts: string[];
  chars: number;
  settle(outcome: Outcome): void;
}

interface Own extends EditorDeskDeps {
  readonly serving: Map<SessionId, Serving[]>;
  readonly waiting: Map<string, Waiting>;
}

/** No editor is attached yet. */
export function createEditorDesk(deps: EditorDeskDeps): EditorDesk {
  const own: Own = { ...deps, serving: new Map(), waiting: new Map() };
  return {
    attach: (offer, client) => attach(own, offer, client),
    detach: (lineage, client) => {
      const found = own.serving.get(lineage)?.find((one) => one.client.id === client.id);
      found?.leave();
      return found !== undefined;
    },
    take: (channel, client) => take(own, channel, client),
    textOf: (request, from, client) => {
      const { text } = waitingOf(own, request, client);
      const end = from + EDITOR_PART_CHARS;
      return { text: text.slice(from, end), more: end < text.length };
    },
    answer: (request, given, client) => answer(own, request, given, client),
    filesOf: (lineage) => {
      const serving = own.serving.get(lineage)?.at(-1);
      return serving === undefined ? undefined : filesOf(own, serving);
    },
  };
}

function attach(own: Own, offer: EditorOffer, client: EditorClient): void {
  const { lineage } = offer;
  own.serving
    .get(lineage)
    ?.find((one) => one.client.id === client.id)
    ?.leave();
  const leave = () => {
    client.signal.removeEventListener("abort", leave);
    const left = (own.serving.get(lineage) ?? []).filter((one) => one !== serving);
    if (left.length > 0) own.serving.set(lineage, left);
    else own.serving.delete(lineage);
    for (const waiting of [...own.waiting.values()])
      if (waiting.serving === serving)
        waiting.settle(waiting.taken ? { how: "unanswered", why: "the editor has disconnected" } : { how: "gone" });
  };
  const roots = offer.roots.map((shown) => ({ shown, real: realTarget(shown) ?? shown }));
  const serving: Serving = { offer, client, roots, withdrawn: new Set(), leave };
  own.serving.set(lineage, [...(own.serving.get(lineage) ?? []), serving]);
  client.signal.addEventListener("abort", leave, { once: true });
  if (client.signal.aborted) leave();
}

function take({ serving, waiting }: Own, channel: string, client: EditorClient): EditorNews {
  const mine = (one: Serving) => one.client.id === client.id && one.offer.channel === channel;
  const requests = [...waiting].filter(([, { serving: by, taken }]) => !taken && mine(by));
  const news = [...serving.values()].flat().filter(mine);
  const withdrawn = news.flatMap((one) => [...one.withdrawn]);
  for (const one of news) one.withdrawn.clear();
  return {
    withdrawn,
    requests: requests.map(([request, one]) => {
      one.taken = true;
      const { kind, path, text } = one;
      const about = { request, session_id: one.serving.offer.session, kind, path };
      return kind === "write" ? { ...about, chars: text.length } : about;
    }),
  };
}

function waitingOf({ waiting }: Own, request: string, client: EditorClient): Waiting {
  const found = waiting.get(request);
  if (found?.serving.client.id === client.id) return found;
  throw new AppError("E_NOT_FOUND", `no open request ${JSON.stringify(request)} of this editor`, {
    request,
    hint: "editor.take lists what is asked",
  });
}

function answer(own: Own, request: string, given: EditorAnswer, client: EditorClient): boolean {
  const found = own.waiting.get(request);
  if (found?.serving.client.id !== client.id) return false;
  const { text = "", more = false } = given;
  found.chars += text.length;
  if (found.chars > EDITOR_TEXT_CHARS) {
    const why = `the editor's text has more than ${EDITOR_TEXT_CHARS} characters; save it, then use search_files or the terminal`;
    found.settle({ how: "failed", why });
    return false;
  }
  found.parts.push(text);
  if (!more) found.settle({ how: "answered", answer: given, text: found.parts.join("") });
  return true;
}

function filesOf(own: Own, serving: Serving): EditorFiles {
  const { read, write } = serving.offer;
  return {
    reads: (path) => read && shownPath(serving, path) !== undefined,
    writes: (path) => write && shownPath(serving, path) !== undefined,
    read: async (path, signal) => toText(await ask(own, serving, { kind: "read", path, text: "" }, signal)),
    write: async (path, text, signal) => toWritten(await ask(own, serving, { kind: "write", path, text }, signal)),
  };
}

/** A file as the editor knows it: below the directory that it has opened, links and all. Undefined: below none. */
function shownPath({ roots }: Serving, path: string): string | undefined {
  const root = roots.find(({ real }) => isWithin(path, real));
  return root === undefined ? undefined : join(root.shown, relative(root.real, path));
}

function toText(outcome: Outcome): EditorText {
  switch (outcome.how) {
    case "gone":
      return { how: "gone" };
    case "failed":
    case "unanswered":
      return { how: "failed", why: outcome.why };
    case "answered": {
      const { error } = outcome.answer;
      if (error === undefined) return { how: "text", text: outcome.text };
      return error.kind === "missing" ? { how: "missing" } : { how: "failed", why: refusal(error.message) };
    }
  }
}

function toWritten(outcome: Outcome): EditorWritten {
  switch (outcome.how) {
    case "gone":
      return { how: "gone" };
    case "failed":
      return { how: "failed", why: outcome.why };
    case "unanswered":
      return { how: "unknown", why: outcome.why };
    case "answered": {
      const { error } = outcome.answer;
      return error === undefined ? { how: "written" } : { how: "failed", why: refusal(error.message) };
    }
  }
}

const refusal = (message: string): string => `the editor refused: ${message}`;

interface Asked {
  readonly kind: "read" | "write";
  readonly path: string;
  readonly text: string;
}

/** Ask the editor, and wait for its answer, its end or the deadline. */
async function ask(own: Own, serving: Serving, asked: Asked, signal: AbortSignal): Promise<Outcome> {
  signal.throwIfAborted();
  const { kind, text } = asked;
  const { lineage, channel } = serving.offer;
  const path = shownPath(serving, asked.path);
  if (path === undefined || own.serving.get(lineage)?.includes(serving) !== true) return { how: "gone" };
  if (own.waiting.size >= LIMITS.editorRequests)
    return { how: "failed", why: `${LIMITS.editorRequests} requests wait for editors; repeat the call later` };
  const request = own.ids.hex(16);
  let sent = false;
  const outcome = await new Promise<Outcome>((resolve) => {
    const settle = (answered: Outcome) => {
      if (!own.waiting.delete(request)) return;
      cancel();
      signal.removeEventListener("abort", onAbort);
      sent = waiting.taken;
      if (answered.how !== "answered" && waiting.taken) {
        serving.withdrawn.add(request);
        own.poke(channel);
      }
      resolve(answered);
    };
    const waiting: Waiting = { serving, kind, path, text, taken: false, parts: [], chars: 0, settle };
    const onAbort = () => settle({ how: "unanswered", why: "the call ended before the editor answered" });
    const within = kind === "read" ? READ_MS : WRITE_MS;
    const late = `the editor did not answer within ${within / 1000} s; it may be waiting for its user`;
    const cancel = own.clock.after(within, () => settle({ how: "unanswered", why: late }));
    own.waiting.set(request, waiting);
    signal.addEventListener("abort", onAbort, { once: true });
    own.poke(channel);
  });
  if (outcome.how !== "unanswered" || (kind === "write" && sent)) return outcome;
  signal.throwIfAborted();
  return { how: "failed", why: outcome.why };
}
