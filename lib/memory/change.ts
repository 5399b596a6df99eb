/** What a change makes of a book: decided here, written elsewhere. */

import type { EpochMs } from "../base/units.js";
import { formatElapsed } from "../commands/render/times.js";
import type {
  MemoryAuthor,
  MemoryChange,
  MemoryEntry,
  MemoryFileState,
  MemoryOutcome,
  MemoryPreview,
  MemoryRefusal,
  MemoryScope,
  MemoryTarget,
} from "../contracts/memory/memory.js";
import { strictScan } from "../safety/redact/injection.js";
import { type Book, type BookChange, isOver, type MemoryFile, memoryFileIn } from "./book.js";
import { fileUsage, folded, hasSeparator, sizeOf, tidyEntry } from "./entry-text.js";
import { filesOf, placeOfScope, type VisibleScopes } from "./places.js";
import { nearestEntries } from "./words.js";

export interface ChangeDeps {
  readonly homeDir: string;
  readonly now: () => EpochMs;
  readonly newId: () => string;
  limitOf(target: MemoryTarget): number;
  isOn(target: MemoryTarget): boolean;
}

/** Who changes, and what they see. */
export interface ChangePlace {
  readonly sight: VisibleScopes;
  readonly author: MemoryAuthor;
}

export interface MemoryDecision {
  readonly outcome: MemoryOutcome;
  readonly writes: BookChange;
  /** A file in another form, of which a copy is to be kept. */
  readonly damaged?: MemoryFile;
}

/** Confidence of what a model wrote by itself. */
const FROM_TURN = 0.8;
const PREVIEW_CHARS = 80;
const LEAST_USED = 5;
const SEVERAL = 5;

/** Entries that a conversation sees, in the order of their files. Nothing that has expired. */
export const visibleEntries = (
  book: Book,
  sight: VisibleScopes,
  { homeDir, now }: ChangeDeps,
): readonly MemoryEntry[] =>
  filesOf(sight).flatMap((place) =>
    memoryFileIn(book, place, homeDir).entries.filter((entry) => !isOver(entry, now())),
  );

export const stateOf = ({ place, entries }: MemoryFile, deps: Pick<ChangeDeps, "limitOf" | "now">): MemoryFileState => {
  const texts = entries.filter((entry) => !isOver(entry, deps.now())).map(({ text }) => text);
  return {
    target: place.target,
    scope: place.kind === "home" ? "user" : place.kind,
    of: place.of,
    entries: texts,
    usage: fileUsage(texts, deps.limitOf(place.target)),
  };
};

export const previewOf = ({ id, text, used_at, created_at }: MemoryEntry, now: EpochMs): MemoryPreview => ({
  id,
  text: short(text),
  age: formatElapsed(Math.max(0, now - (used_at ?? created_at)) / 1000),
});

const short = (text: string): string => {
  const line = text.replace(/\s+/g, " ");
  return line.length > PREVIEW_CHARS ? `${line.slice(0, PREVIEW_CHARS - 3)}...` : line;
};

/** What happens to a change. Nothing is read or written here. */
export function decideChange(change: MemoryChange, book: Book, place: ChangePlace, deps: ChangeDeps): MemoryDecision {
  const at: Deciding = { change, book, place, deps };
  if (!deps.isOn(change.target)) return refuse(at, homeFile(at), { why: "off", message: OFF[change.target] });
  if (change.action !== "remove") {
    const wrong = wrongText(tidyEntry(change.content));
    if (wrong !== undefined) return refuse(at, homeFile(at), wrong);
  }
  return change.action === "add" ? decideAdd(at, change) : decideOther(at, change);
}

interface Deciding {
  readonly change: MemoryChange;
  readonly book: Book;
  readonly place: ChangePlace;
  readonly deps: ChangeDeps;
}

const OFF = {
  memory: "notes are switched off (memory.memory_enabled)",
  user: "the profile of the user is switched off (memory.user_profile_enabled)",
} as const;

const homeFile = ({ change, book, deps }: Deciding): MemoryFile =>
  memoryFileIn(book, { target: change.target, kind: "home", of: "" }, deps.homeDir);

interface Wrong {
  readonly why: MemoryRefusal;
  readonly message: string;
}

function wrongText(content: string): Wrong | undefined {
  if (content === "") return { why: "empty", message: "content is empty; write one fact" };
  if (hasSeparator(content))
    return { why: "form", message: "content has a line with § alone, which separates entries; add them one by one" };
  const patterns = strictScan(content);
  if (patterns.length === 0) return undefined;
  const names = patterns.join(", ");
  return {
    why: "injection",
    message: `refused: the text matches the injection pattern ${names}. A memory holds facts; it gives no instructions to a model.`,
  };
}

function decideAdd(at: Deciding, change: Extract<MemoryChange, { action: "add" }>): MemoryDecision {
  const { book, place, deps } = at;
  const where = placeOfAdd(change, place.sight);
  if (typeof where === "string") return refuse(at, homeFile(at), { why: "scope", message: where });
  const file = memoryFileIn(book, placeOfScope(change.target, where.scope, where.of), deps.homeDir);
  const content = tidyEntry(change.content);
  const known = visibleEntries(book, place.sight, deps);
  const same = known.find((entry) => folded(entry.text) === folded(content));
  if (same !== undefined) return saidAgain(at, file, same, change.ttl);
  if (change.contradicts !== undefined && change.contradicts !== CHECKED)
    return decideOther(at, { ...change, action: "replace", which: change.contradicts }, known);
  const near = change.contradicts === CHECKED ? [] : nearestEntries(content, known);
  if (near.length > 0) return refuse(at, file, { why: "near", message: NEAR, about: near });
  const entry: MemoryEntry = {
    id: deps.newId(),
    target: change.target,
    scope: where.scope,
    of: where.of,
    text: content,
    ...authored(place.author),
    created_at: deps.now(),
    used_at: null,
    expires_at: endOf(change.ttl, deps.now()),
  };
  return put(at, file, { entries: [...living(file, deps), entry], done: "added", entry });
}

/** Stands beside what it is near to. */
const CHECKED = "checked";

const NEAR = "entries say nearly the same";

function placeOfAdd(
  { target, scope }: Extract<MemoryChange, { action: "add" }>,
  { project, board }: VisibleScopes,
): { readonly scope: MemoryScope; readonly of: string } | string {
  if (target === "user")
    return scope === "project" || scope === "board"
      ? "what is known of the user has the scope user or profile; use target memory for a project or a board"
      : { scope: scope ?? "user", of: "" };
  const wanted = scope ?? (project === undefined ? "user" : "project");
  if (wanted === "project")
    return project === undefined
      ? "this conversation has no project; use scope user or profile"
      : { scope: wanted, of: project };
  if (wanted === "board")
    return board === undefined
      ? "this conversation does not work for a board; use scope project, user or profile"
      : { scope: wanted, of: board };
  return { scope: wanted, of: "" };
}

const authored = ({ source, untrusted }: MemoryAuthor): Pick<MemoryEntry, "source" | "confidence" | "untrusted"> => ({
  source,
  untrusted,
  confidence: source.kind === "turn" ? FROM_TURN : 1,
});

const endOf = (ttl: number | undefined, now: EpochMs): EpochMs | null =>
  ttl === undefined || !Number.isFinite(ttl) ? null : now + ttl;

const living = ({ entries }: MemoryFile, { now }: ChangeDeps): readonly MemoryEntry[] =>
  entries.filter((entry) => !isOver(entry, now()));

/** The same words again: it is in use, and holds for longer where that was said. */
function saidAgain(at: Deciding, file: MemoryFile, same: MemoryEntry, ttl: number | undefined): MemoryDecision {
  const { deps } = at;
  const entry = {
    ...same,
    used_at: deps.now(),
    ...(ttl === undefined ? {} : { expires_at: endOf(ttl, deps.now()) }),
  };
  const message = `Already known as ${same.id}; nothing was added.`;
  return { outcome: { ...stateOf(file, deps), done: "known", message, entry }, writes: { records: [entry] } };
}

type Other = Exclude<MemoryChange, { action: "add" }>;

/** @param among entries that may be meant; default: those of the target */
function decideOther(at: Deciding, change: Other, among?: readonly MemoryEntry[]): MemoryDecision {
  const { book, place, deps } = at;
  const entries = among ?? visibleEntries(book, place.sight, deps).filter(({ target }) => target === change.target);
  const found = matches(change.which, entries);
  const [old] = found;
  if (old === undefined)
    return refuse(at, homeFile(at), { why: "no match", message: `No entry matched: ${short(change.which)}` });
  if (found.length > 1)
    return refuse(at, homeFile(at), {
      why: "several",
      message: `${found.length} entries match; use more of the text, or the id`,
      about: found.slice(0, SEVERAL),
    });
  const file = memoryFileIn(book, placeOfScope(old.target, old.scope, old.of), deps.homeDir);
  const rest = living(file, deps);
  if (change.action === "remove")
    return put(at, file, { entries: rest.filter(({ id }) => id !== old.id), done: "removed", entry: old });
  const content = tidyEntry(change.content);
  const entry: MemoryEntry = {
    ...old,
    text: content,
    ...authored(place.author),
    created_at: deps.now(),
    used_at: null,
    expires_at: change.ttl === undefined ? old.expires_at : endOf(change.ttl, deps.now()),
    ...(content === old.text ? {} : { replaced: old.text }),
  };
  const others = rest.filter(({ id, text }) => id === old.id || folded(text) !== folded(content));
  return put(at, file, { entries: others.map((one) => (one.id === old.id ? entry : one)), done: "replaced", entry });
}

/** The entry of this id, or those with this text; in any case of letters when none is written so. */
function matches(which: string, entries: readonly MemoryEntry[]): readonly MemoryEntry[] {
  const wanted = tidyEntry(which);
  if (wanted === "") return [];
  const byId = entries.filter(({ id }) => id === wanted);
  if (byId.length > 0) return byId;
  const exact = entries.filter(({ text }) => text === wanted);
  if (exact.length > 0) return exact;
  const part = entries.filter(({ text }) => text.includes(wanted));
  return part.length > 0 ? part : entries.filter(({ text }) => folded(text).includes(folded(wanted)));
}

interface Put {
  readonly entries: readonly MemoryEntry[];
  readonly done: "added" | "replaced" | "removed";
  readonly entry: MemoryEntry;
}

const SAYS = { added: "Added", replaced: "Replaced", removed: "Removed" } as const;

/** The file with these entries, unless it is in another form or too small for them. */
function put(at: Deciding, file: MemoryFile, { entries, done, entry }: Put): MemoryDecision {
  const { deps } = at;
  if (file.damaged !== undefined)
    return {
      ...refuse(at, file, {
        why: "damaged",
        message: `${file.path} was edited: ${file.damaged.why}. Nothing was changed; ${AGREE}`,
      }),
      damaged: file,
    };
  const limit = deps.limitOf(file.place.target);
  const size = sizeOf(entries.map(({ text }) => text));
  const before = sizeOf(living(file, deps).map(({ text }) => text));
  if (size > limit && size > before) {
    const least = living(file, deps)
      .filter(({ id }) => id !== entry.id)
      .toSorted((a, b) => (a.used_at ?? a.created_at) - (b.used_at ?? b.created_at))
      .slice(0, LEAST_USED);
    const message = `The memory is full: this makes ${size} of ${limit} characters. Nothing was changed. Replace several entries by one that says the same in fewer words, or remove what no longer holds; the entries used least are listed.`;
    return refuse(at, file, { why: "full", message, about: least });
  }
  const state = stateOf({ ...file, entries }, deps);
  const message = `${SAYS[done]} ${entry.id}.`;
  return { outcome: { ...state, done, message, entry }, writes: { files: [{ file, entries }] } };
}

const AGREE = "the user agrees to its new form with agent memory accept or /memory accept.";

interface Refusal extends Wrong {
  /** Entries that it is about. */
  readonly about?: readonly MemoryEntry[];
}

const refuse = ({ deps }: Deciding, file: MemoryFile, { why, message, about = [] }: Refusal): MemoryDecision => ({
  outcome: {
    ...stateOf(file, deps),
    done: "nothing",
    why,
    message,
    about: about.map((entry) => previewOf(entry, deps.now())),
  },
  writes: {},
});
