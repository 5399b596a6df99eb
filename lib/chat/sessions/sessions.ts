import type { Store, Tx } from "../../../storage/store.js";
import * as records from "../../../storage/tables/sessions/lineage.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as parked from "../../../storage/tables/sessions/parked.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import { AppError, ambiguousName } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { MessageRecord, SessionFilter, SessionRecord } from "../../contracts/chat/chat.js";
import { readInvocation } from "../../contracts/skills/invoked.js";
import { noSession, sessionInfo } from "../transcript/session-record.js";
import { cleanTitle, firstChars } from "../transcript/sessions-title.js";
import { insertSkills } from "./session-skills.js";

export interface SessionsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** What a new session record is made of. */
export interface SessionInput {
  /** Drawn before by a caller that had to note it first; else one is drawn here. */
  readonly id?: SessionId;
  readonly source: string;
  readonly cwd: string;
  readonly profile: string;
  readonly model: string;
  readonly provider: string;
  readonly toolsets?: readonly string[];
  /** Skills whose text stands in its prompt. */
  readonly skills?: readonly string[];
  readonly title?: string;
  readonly ephemeral?: boolean;
  /** Session that this one continues, branches from or was delegated by. */
  readonly parent?: {
    readonly session: SessionRecord;
    readonly relation: "compaction" | "branch" | "delegate" | "background";
  };
}

export type ListedSession = SessionRecord & { readonly preview: string };

/** Session records of one store. */
export interface Sessions {
  create(input: SessionInput): Promise<SessionRecord>;
  get(id: SessionId): Promise<SessionRecord | undefined>;
  /** An id, a unique beginning of one, or a title. @throws E_NOT_FOUND, E_AMBIGUOUS (`data.candidates`) */
  find(name: string): Promise<SessionRecord>;
  /** One row per lineage, newest activity first. Default limit 20. */
  list(filter: SessionFilter): Promise<readonly ListedSession[]>;
  /** How many there are, whatever the limit. */
  count(filter: SessionFilter): Promise<number>;
  /** Visible messages by their place in the conversation; without `after` the newest ones. Default limit 200, at most 1,000. */
  messages(id: SessionId, page?: MessagePage): Promise<readonly MessageRecord[]>;
  /** @throws E_INVALID (empty, too long), E_CONFLICT (used by an open session), E_NOT_FOUND */
  rename(id: SessionId, title: string): Promise<SessionRecord>;
  archive(id: SessionId, archived: boolean): Promise<void>;
  /** Open the record again and note where it goes on. A segment that was compacted gives way to the newest one of its lineage. */
  reopen(id: SessionId, cwd: string): Promise<SessionRecord>;
  end(id: SessionId, reason: string): Promise<void>;
  /** The segment in which the conversation of this one goes on, itself where it does. */
  current(id: SessionId): Promise<SessionRecord | undefined>;
  /** Close a record that its front end has left; one without messages and title is removed. @returns whether it is still there */
  leave(id: SessionId, reason: string): Promise<boolean>;
}

export interface MessagePage {
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
}

const LIST_LIMIT = 20;
const LIST_MAX = 1_000_000;
const PAGE_LIMIT = 200;
const PAGE_MAX = 1_000;
const PREVIEW_LENGTH = 60;
const CANDIDATES = 10;

export function createSessions(deps: SessionsDeps): Sessions {
  const { store, clock, ids } = deps;
  const get = (id: SessionId) => store.read((q) => sessions.get(q, id));
  return {
    get,
    create: (input) => create(deps, input, clock.now(), ids),
    find: (name) => find(store, name.trim()),
    list: (filter) => list(store, filter),
    count: (filter) => store.read((q) => sessions.count(q, wantedBy(filter))),
    messages: (id, page = {}) =>
      store.read((q) =>
        messages.page(q, id, {
          before: page.before,
          after: page.after,
          limit: bounded(page.limit, PAGE_LIMIT, PAGE_MAX),
        }),
      ),
    rename: (id, title) => rename(deps, id, title),
    archive: async (id, archived) => {
      const session = await mustGet(store, id);
      const at = clock.now();
      await store.write("chat.archive", async (tx) => {
        await sessions.setArchived(tx, session.lineage_root, archived);
        if (archived) await closeParked(tx, session.lineage_root, at);
      });
    },
    current: (id) =>
      store.read(async (q) => {
        const session = await sessions.get(q, id);
        return session !== undefined && goesOnElsewhere(session) ? sessions.current(q, session.lineage_root) : session;
      }),
    reopen: async (id, cwd) => {
      const at = clock.now();
      return store.write("chat.reopen", (tx) => reopen(tx, id, cwd, at));
    },
    end: async (id, reason) => {
      const at = clock.now();
      await store.write("chat.close", (tx) => sessions.end(tx, id, reason, at));
    },
    leave: async (id, reason) => {
      const at = clock.now();
      return store.write("chat.leave", (tx) => leave(tx, id, reason, at));
    },
  };
}

async function create({ store }: SessionsDeps, input: SessionInput, at: EpochMs, ids: Ids): Promise<SessionRecord> {
  const session = newRecord(input, input.id ?? ids.session(at), at);
  await store.write("chat.create", async (tx) => {
    await sessions.insert(tx, session, input.toolsets);
    await insertSkills(tx, session.lineage_root, input.skills ?? [], at);
    tx.emit({ kind: "session.info", at, session: session.id, payload: sessionInfo(session) });
  });
  return session;
}

function newRecord(input: SessionInput, id: SessionId, at: EpochMs): SessionRecord {
  const { parent } = input;
  const sameLineage = parent?.relation === "compaction";
  const none = {
    message_count: 0,
    tool_call_count: 0,
    api_call_count: 0,
    input_tokens: 0,
    output_tokens: 0,
    last_prompt_tokens: 0,
  };
  return {
    ...none,
    id,
    source: input.source,
    profile: input.profile,
    lineage_root: sameLineage ? parent.session.lineage_root : id,
    parent_session_id: parent?.session.id ?? null,
    relation: parent?.relation ?? null,
    model: input.model,
    provider: input.provider,
    system_prompt: null,
    title: input.title === undefined ? null : cleanTitle(input.title),
    title_source: input.title === undefined ? null : "user",
    cwd: input.cwd,
    started_at: at,
    last_active_at: at,
    ended_at: null,
    end_reason: null,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    reasoning_tokens: 0,
    estimated_cost_usd: null,
    archived: false,
    ephemeral: input.ephemeral ?? false,
  };
}

/** Core part, 11.4: exact id, unique beginning of an id, newest numbered form of a title, exact title. */
async function find(store: Store, name: string): Promise<SessionRecord> {
  if (name === "") throw new AppError("E_INVALID", "missing session", { hint: "agent sessions list lists them" });
  return store.read(async (q) => {
    const exact = await sessions.get(q, name);
    if (exact) return exact;
    const beginning = await sessions.byPrefix(q, name, CANDIDATES + 1);
    const [only] = beginning;
    if (only && beginning.length === 1) return only;
    if (only) throw ambiguous(name, beginning);
    const [titled] = (await sessions.byTitle(q, name)).sort(
      (a, b) => numberOf(b.title, name) - numberOf(a.title, name),
    );
    if (titled) return titled;
    throw new AppError("E_NOT_FOUND", `no such session: "${name}"`, {
      session: name,
      hint: "agent sessions list lists them",
    });
  });
}

/** `name #3` is 3, `name` itself is 0; anything else that begins like it counts as less. */
function numberOf(title: string | null, name: string): number {
  if (title === name) return 0;
  const digits = (title ?? "").slice(name.length + 2);
  return /^\d{1,9}$/.test(digits) ? Number(digits) : -1;
}

function ambiguous(name: string, found: readonly SessionRecord[]): AppError {
  const candidates = found.slice(0, CANDIDATES).map((session) => ({ id: session.id, title: session.title }));
  const more = found.length > CANDIDATES ? " and more" : "";
  const hint = "use more characters of the id";
  return ambiguousName(`"${name}" is ambiguous: ${candidates.map((one) => one.id).join(", ")}${more}`, {
    candidates,
    hint,
  });
}

async function list(store: Store, filter: SessionFilter): Promise<readonly ListedSession[]> {
  const offset = Math.max(0, Math.trunc(filter.offset ?? 0));
  const page = { limit: bounded(filter.limit, LIST_LIMIT, LIST_MAX), offset, order: filter.order ?? "recent" };
  return store.read(async (q) => {
    const listed: ListedSession[] = [];
    for (const session of await sessions.list(q, wantedBy(filter), page)) {
      const first = (await sessions.firstUserMessage(q, session.lineage_root)) ?? "";
      listed.push({ ...session, preview: firstChars(readInvocation(first) ?? first, PREVIEW_LENGTH) });
    }
    return listed;
  });
}

const wantedBy = ({
  source,
  cwd,
  archived,
  profile,
  lineage,
  among,
  excludeSources,
  minMessages,
  maxMessages,
}: SessionFilter) => ({
  among: among === undefined ? undefined : [...among],
  source,
  cwd,
  profile,
  lineage,
  archived: archived ?? false,
  excludeSources: excludeSources ?? [],
  minMessages: minMessages ?? 0,
  maxMessages: maxMessages ?? Number.MAX_SAFE_INTEGER,
});

const bounded = (given: number | undefined, fallback: number, max: number) =>
  Math.min(Math.max(1, Math.trunc(given ?? fallback)), max);

async function rename({ store, clock }: SessionsDeps, id: SessionId, title: string): Promise<SessionRecord> {
  const clean = cleanTitle(title);
  const at = clock.now();
  return store.write("chat.rename", async (tx) => {
    const holder = await sessions.titleHolder(tx, clean, id);
    if (holder !== undefined)
      throw new AppError("E_CONFLICT", `the title "${clean}" is already in use by session ${holder}`, {
        session: holder,
      });
    if ((await sessions.setTitle(tx, id, clean, "user")) === 0) throw noSession(id);
    const session = await sessions.get(tx, id);
    if (!session) throw noSession(id);
    tx.emit({ kind: "session.info", at, session: id, payload: sessionInfo(session) });
    return session;
  });
}

async function reopen(tx: Tx, id: SessionId, cwd: string, at: EpochMs): Promise<SessionRecord> {
  const session = await sessions.get(tx, id);
  if (!session) throw noSession(id);
  const newest = goesOnElsewhere(session) ? ((await sessions.current(tx, session.lineage_root)) ?? session) : session;
  await sessions.reopen(tx, newest.id, { cwd, at });
  return { ...newest, cwd, last_active_at: at, ended_at: null, end_reason: null };
}

/** Whether a compaction, or its undoing, has closed this segment. */
export const goesOnElsewhere = ({ end_reason }: SessionRecord): boolean =>
  end_reason === "compaction" || end_reason === "compaction_undone";

async function leave(tx: Tx, named: SessionId, reason: string, at: EpochMs): Promise<boolean> {
  const found = await sessions.get(tx, named);
  if (!found) return false;
  const session = goesOnElsewhere(found) ? ((await sessions.current(tx, found.lineage_root)) ?? found) : found;
  const { id } = session;
  if (session.title !== null || session.parent_session_id !== null || (await sessions.hasMessages(tx, id))) {
    await sessions.end(tx, id, reason, at);
    return true;
  }
  await parked.removeLineage(tx, session.lineage_root);
  await records.removeAll(tx, session.lineage_root, "");
  await sessions.remove(tx, id);
  return false;
}

/** Questions that would outlive an owner go with their conversation. */
async function closeParked(tx: Tx, root: SessionId, at: EpochMs): Promise<void> {
  for (const { request, session } of await parked.removeLineage(tx, root)) {
    const payload = { request, answer: null, by: "archived", why: "archived" };
    tx.emit({ kind: "form.resolved", at, session, payload });
  }
}

async function mustGet(store: Store, id: SessionId): Promise<SessionRecord> {
  const session = await store.read((q) => sessions.get(q, id));
  if (!session) throw noSession(id);
  return session;
}
