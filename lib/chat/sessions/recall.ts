import type { Query, Store } from "../../../storage/store.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import * as sessions from "../../../storage/tables/sessions/records.js";
import * as windows from "../../../storage/tables/sessions/windows.js";
import { AppError } from "../../base/errors.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { MessageRecord, SessionRecord } from "../../contracts/chat/chat.js";
import type { RecallPort, RecallReach, RecallRequest } from "../../contracts/chat/recall.js";
import type { Sessions } from "./sessions.js";
import type { SearchHit, SessionSearch } from "./sessions-search.js";
import { metaOf, shownMessage } from "./shown.js";

export interface RecallDeps {
  readonly store: Store;
  readonly sessions: Pick<Sessions, "list">;
  readonly search: SessionSearch;
  /** Name of the profile whose store this is. */
  readonly profile: string;
  /** The conversation that asks. */
  readonly asking: SessionId;
  /** What it may see; the rest is answered like what never was. */
  readonly reach?: RecallReach;
  /** Look into the sessions of another profile; undefined: unknown profile, or one without sessions. */
  elsewhere?<T>(profile: string, look: (store: Store) => Promise<T>): Promise<T | undefined>;
}

type Answer = Readonly<Record<string, unknown>>;

const BOOKENDS = 3;
/** What reading a session shows of it. */
const FIRST = 20;
const LAST = 10;
const WAYS =
  "give nothing (the newest sessions), query (search), session_id (read), or session_id with around_message_id (scroll); nothing else goes together";

/** Earlier conversations for one that asks (core part, 12). Reads only. */
export function createRecall(deps: RecallDeps): Pick<RecallPort, "recall"> {
  return {
    recall: async (request) => {
      const query = request.query?.trim() === "" ? undefined : request.query;
      const { session_id, around_message_id } = request;
      const wrong =
        (session_id === undefined && around_message_id !== undefined) ||
        (session_id !== undefined && query !== undefined);
      if (wrong) throw new AppError("E_INVALID", `these parameters do not go together: ${WAYS}`, { hint: WAYS });
      if (session_id !== undefined) {
        const look = (place: RecallDeps, id: SessionId) =>
          around_message_id === undefined
            ? read(place, id)
            : scroll(place, id, { ...request, anchor: around_message_id });
        return inProfile(deps, session_id, look);
      }
      return query === undefined ? browse(deps, request) : discover(deps, query, request);
    },
  };
}

/** An id, or `profile/id`: then the look is into that profile's sessions. */
async function inProfile(
  deps: RecallDeps,
  given: string,
  look: (deps: RecallDeps, id: SessionId) => Promise<Answer>,
): Promise<Answer> {
  const [first = "", id, ...more] = given.split("/");
  if (id === undefined) return look(deps, first as SessionId); // proved by the look-up that follows
  const wanted = id as SessionId; // the same
  if (first === deps.profile && more.length === 0) return look(deps, wanted);
  const found =
    more.length > 0 || deps.reach !== undefined
      ? undefined
      : await deps.elsewhere?.(first, (store) => look({ ...deps, store, profile: first }, wanted));
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", `no sessions of profile "${first}"`, {
    hint: `this is the profile ${deps.profile}`,
  });
}

async function browse({ store, sessions: book, asking, reach }: RecallDeps, { limit }: RecallRequest): Promise<Answer> {
  const own = await store.read((q) => windows.familyOf(q, asking));
  const listed = await book.list({ limit: limit + FAMILY_MOST, ...(reach === undefined ? {} : { among: reach }) });
  const others: Answer[] = [];
  for (const session of listed) {
    if (others.length === limit) break;
    if (own !== undefined && (await store.read((q) => windows.familyOf(q, session.id))) === own) continue;
    others.push({
      session_id: session.id,
      title: session.title,
      source: session.source,
      started_at: toIso(session.started_at),
      last_active: toIso(session.last_active_at),
      message_count: session.message_count,
      preview: session.preview,
    });
  }
  const message =
    others.length === 0
      ? "There are no other sessions."
      : "The newest sessions. query searches them, session_id reads one.";
  return { success: true, mode: "browse", results: others, count: others.length, message };
}

/** Branches of the conversation that asks may stand among the newest. */
const FAMILY_MOST = 50;

async function discover(deps: RecallDeps, query: string, request: RecallRequest): Promise<Answer> {
  const { store, search, asking, reach } = deps;
  const family = await store.read((q) => windows.familyOf(q, asking));
  const { roles, sort, limit } = request;
  const scope = {
    ...(family === undefined ? {} : { exceptFamily: family }),
    ...(reach === undefined ? {} : { among: reach }),
  };
  const found = await search.search(query, { limit, roles, sort, by: "family", ...scope });
  const results: Answer[] = [];
  for (const hit of found.hits) results.push(await store.read((q) => hitOf(q, hit, request.window)));
  const used = found.query_used === undefined ? {} : { query_used: found.query_used };
  const searched = reach === undefined ? await store.read((q) => windows.countFamilies(q, family)) : reach.size;
  const none = `Nothing found in ${searched} sessions. Searched were messages of ${roles.join(", ")}; role_filter chooses others.`;
  return {
    success: true,
    mode: "discover",
    query,
    ...used,
    results,
    count: results.length,
    sessions_searched: searched,
    roles_searched: roles,
    ...(results.length === 0 ? { message: none } : {}),
  };
}

async function hitOf(q: Query, hit: SearchHit, size: number): Promise<Answer> {
  const session = await sessions.get(q, hit.session_id);
  const window = await windows.around(q, hit.session_id, hit.ordinal, size);
  const { start, end } = await windows.bookends(q, hit.session_id, BOOKENDS);
  const shown = window.messages.filter((message) => message.role !== "tool" || message.id === hit.message_id);
  return {
    session_id: hit.session_id,
    lineage_root: hit.lineage_root,
    ...(session === undefined ? {} : metaOf(session)),
    matched_role: hit.role,
    match_message_id: hit.message_id,
    snippet: hit.snippet,
    bookend_start: start.map((message) => shownMessage(message)),
    messages: shown.map((message) => shownMessage(message, hit.message_id)),
    bookend_end: end.map((message) => shownMessage(message)),
    messages_before: window.before,
    messages_after: window.after,
  };
}

interface Scroll extends RecallRequest {
  readonly anchor: number;
}

async function scroll(
  { store, asking, reach }: RecallDeps,
  id: SessionId,
  { anchor, window: size }: Scroll,
): Promise<Answer> {
  return store.read(async (q) => {
    const wanted = await sessionOf(q, id, reach);
    const message = await anchorIn(q, wanted, anchor);
    await refuseOwnFamily(q, id, asking);
    const session = message.session_id === id ? wanted : await sessionOf(q, message.session_id, reach);
    const window = await windows.around(q, session.id, message.ordinal, size);
    const moved =
      session.id === id
        ? {}
        : { warning: `message ${anchor} is in ${session.id}, another segment of the same conversation; this is shown` };
    return {
      success: true,
      mode: "scroll",
      session_id: session.id,
      around_message_id: anchor,
      session_meta: metaOf(session),
      window: size,
      messages: window.messages.map((one) => shownMessage(one, anchor)),
      messages_before: window.before,
      messages_after: window.after,
      ...moved,
    };
  });
}

/** The message, when it is visible and of the same conversation. */
async function anchorIn(q: Query, session: SessionRecord, anchor: number): Promise<MessageRecord> {
  const [message] = await messages.byIds(q, [anchor]);
  const other =
    message === undefined || message.session_id === session.id ? session : await sessions.get(q, message.session_id);
  if (message?.active === true && other?.lineage_root === session.lineage_root) return message;
  throw new AppError("E_NOT_FOUND", `session ${session.id} has no message ${anchor}`, {
    hint: "ids stand in the results of query and read",
  });
}

async function read({ store, asking, profile, reach }: RecallDeps, id: SessionId): Promise<Answer> {
  return store.read(async (q) => {
    const session = await sessionOf(q, id, reach);
    await refuseOwnFamily(q, id, asking);
    const { messages: shown, count } = await windows.edges(q, id, { first: FIRST, last: LAST });
    const truncated = count > shown.length;
    const message = truncated
      ? { message: `${count - shown.length} messages in between; around_message_id scrolls to them` }
      : {};
    return {
      success: true,
      mode: "read",
      session_id: id,
      session_meta: metaOf(session),
      message_count: count,
      truncated,
      messages: shown.map((one) => shownMessage(one)),
      ...message,
      profile,
    };
  });
}

async function sessionOf(q: Query, id: SessionId, reach: RecallReach): Promise<SessionRecord> {
  const session = await sessions.get(q, id);
  const shown = session !== undefined && session.source !== "subagent" && session.source !== "tool";
  if (shown && (reach?.has(session.lineage_root) ?? true)) return session;
  throw new AppError("E_NOT_FOUND", `no such session: ${id}`, {
    hint: "without parameters the newest sessions are listed",
  });
}

async function refuseOwnFamily(q: Query, id: SessionId, asking: SessionId): Promise<void> {
  const own = await windows.familyOf(q, asking);
  if (own === undefined || (await windows.familyOf(q, id)) !== own) return;
  throw new AppError(
    "E_INVALID",
    "this is the present conversation, or a branch of it; its messages are before you already",
    {
      hint: WAYS,
    },
  );
}
