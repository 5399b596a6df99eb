import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import {
  conversationAt,
  conversationsOf,
  entryAt,
  noteConversationStep,
  noteReset,
  pruneEntries,
  setConversationStep,
  touchEntry,
} from "../../../storage/tables/gateway/sessions.js";
import { toAppError } from "../../base/errors.js";
import { definedVariables } from "../../base/json/record.js";
import type { EpochMs, SessionId } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi, NewSession, SessionSource } from "../../contracts/chat/chat.js";
import { findSkills } from "../../contracts/skills/find-skills.js";
import type { SkillsApi } from "../../contracts/skills/skill.js";
import { comparable, idsOf } from "../admission/allowlists.js";
import { ACCESS } from "../settings/access-keys.js";
import { CRON } from "../settings/cron-keys.js";
import { policyOf, type ResetPolicy, type ResetReason, resetDue } from "./reset-policy.js";
import { workDirOf } from "./work-dir.js";

/** Which conversation the messages of a chat go to. */
export interface Conversations {
  at(sessionKey: string): Promise<SessionId | undefined>;
  /**
   * The conversation of a chat, ready for a turn; a new one where it does not exist, was deleted, or was ended by the reset policy.
   */
  open(sessionKey: string, event: Inbound): Promise<SessionId>;
  /** The chat goes on in another conversation, which is from then on one of its author's. */
  move(sessionKey: string, session: SessionId, event?: Inbound): Promise<void>;
  /** A conversation that a command began beside that of the chat is one of its author's as well. */
  adopt(sessionKey: string, session: SessionId, event: Inbound): Promise<void>;
  /** Conversations that chats of the author of an event were in, by the roots of their lineages. */
  own(event: Inbound): Promise<ReadonlySet<SessionId>>;
  /** Forget chats without messages for a long time. */
  prune(): Promise<void>;
}

/** A conversation that a chat began; `before`: the one that it ended for it by the reset policy. */
export interface ChatStart {
  readonly session: SessionId;
  readonly before: SessionId | undefined;
  readonly sessionKey: string;
  readonly event: Inbound;
}

export interface GatewayConversationDeps {
  readonly store: Store;
  readonly chat: ChatApi;
  readonly options: AppOptions;
  /** Skills of the home, for those that a chat or a webhook has. Absent: without skills. */
  readonly skills?: Pick<SkillsApi, "find">;
  /** Told of every conversation that a message began; never waited for. */
  readonly begun?: (begun: ChatStart) => void;
}

/** Most conversations of one person that a chat lists and finds. */
export const OWN_AT_MOST = 200;
const DAY_MS = 86_400_000;

export function createConversations(deps: GatewayConversationDeps): Conversations {
  const { store, options } = deps;
  const looks = autocommit(store);
  const opening = new Map<string, Promise<SessionId>>();
  return {
    at: (sessionKey) => conversationAt(looks, sessionKey),
    move: (sessionKey, session, event) => move(deps, sessionKey, session, event),
    adopt: async (sessionKey, session, event) => {
      const rows = await ownersOf(deps, sessionKey, session, event);
      await store.script("gateway.adopt", rows.map(noteConversationStep));
    },
    own: async (event) => new Set(await conversationsOf(looks, event.platform, userIds(event), OWN_AT_MOST)),
    prune: async () => {
      const before = options.clock.now() - options.config.get(ACCESS.entryDays) * DAY_MS;
      await store.write("gateway.entries", (tx) => pruneEntries(tx, before));
    },
    open: (sessionKey, event) => {
      const before = opening.get(sessionKey) ?? Promise.resolve();
      const mine = before.catch(() => undefined).then(() => openNow(deps, sessionKey, event));
      opening.set(sessionKey, mine);
      return mine.finally(() => opening.get(sessionKey) === mine && opening.delete(sessionKey));
    },
  };
}

async function openNow(deps: GatewayConversationDeps, sessionKey: string, event: Inbound): Promise<SessionId> {
  const { store, chat, options, begun } = deps;
  const entry = await entryAt(autocommit(store), sessionKey);
  const front = await withSkills(deps, event, toChatSession(event, options));
  const known = entry?.session_id;
  const due = known === undefined ? undefined : await dueReset(deps, known, entry?.updated_at ?? 0, event);
  const gone = known === undefined || due !== undefined ? undefined : await resumed(chat, known, front);
  const session = gone ?? (await chat.create(front)).id;
  if (session !== known) await move(deps, sessionKey, session, event);
  const now = options.clock.now();
  await touchEntry(autocommit(store, "gateway.entry"), sessionKey, factsOf(event), now);
  if (due !== undefined && known !== undefined) {
    const had = ((await chat.get(known))?.message_count ?? 0) > 0;
    await store.write("gateway.reset", (tx) => noteReset(tx, sessionKey, due, had));
    await chat.leave(known, "closed");
  }
  if (gone === undefined) begun?.({ session, before: due === undefined ? undefined : known, sessionKey, event });
  return session;
}

/** Never while something of the conversation is under way. */
async function dueReset(
  { chat, options }: GatewayConversationDeps,
  session: SessionId,
  usedAt: EpochMs,
  event: Inbound,
): Promise<ResetReason | undefined> {
  const { config, clock, log } = options;
  try {
    const due = resetDue(resetPolicy(options, event), usedAt, clock.now(), config.get(CRON.timezone));
    if (due === undefined || (await chat.isBusy(session))) return undefined;
    const works = (await chat.processes(session)).some(({ status }) => status === "running");
    return works ? undefined : due;
  } catch (error) {
    const { code, message } = toAppError(error);
    if (code !== "E_CONFIG" && code !== "E_INVALID" && code !== "E_NOT_FOUND") throw error;
    if (code !== "E_NOT_FOUND") log.error("invalid setting: conversations of chats are not reset", { error: message });
    return undefined;
  }
}

/** The reset policy of a chat. @throws E_CONFIG */
export function resetPolicy({ config }: Pick<AppOptions, "config">, { platform, source }: Inbound): ResetPolicy {
  const general = {
    mode: config.get(ACCESS.resetMode),
    at_hour: config.get(ACCESS.resetHour),
    idle_minutes: config.get(ACCESS.resetIdle),
    notify: config.get(ACCESS.resetNotify),
    notify_exclude_platforms: config.get(ACCESS.resetSilent),
  };
  const settings = { general, byPlatform: config.get(ACCESS.resetByPlatform), byType: config.get(ACCESS.resetByType) };
  return policyOf(settings, { platform, chatType: source.chatType });
}

async function move(
  deps: GatewayConversationDeps,
  sessionKey: string,
  session: SessionId,
  event?: Inbound,
): Promise<void> {
  const now = deps.options.clock.now();
  const rows = event === undefined ? [] : await ownersOf(deps, sessionKey, session, event);
  await deps.store.script("gateway.session", [
    setConversationStep(sessionKey, session, now),
    ...rows.map(noteConversationStep),
  ]);
}

async function ownersOf(
  { chat, options }: GatewayConversationDeps,
  session_key: string,
  session: SessionId,
  event: Inbound,
) {
  const session_id = (await chat.get(session))?.lineage_root ?? session;
  const { platform } = event;
  return userIds(event).map((user_id) => ({
    session_id,
    platform,
    user_id,
    session_key,
    created_at: options.clock.now(),
  }));
}

/** Identifiers by which conversations of the author of an event are noted. */
export const userIds = (event: Pick<Inbound, "platform" | "source">): readonly string[] => [
  ...new Set(idsOf(event).flatMap((id) => (id === null ? [] : [comparable(event.platform, id)]))),
];

const factsOf = ({ platform, source }: Inbound) => ({
  origin: JSON.stringify(source),
  display_name: source.chatName ?? source.userName,
  platform,
  chat_type: source.chatType,
});

async function resumed(chat: ChatApi, id: SessionId, front: NewSession): Promise<SessionId | undefined> {
  try {
    return (await chat.resume(id, front)).id;
  } catch (error) {
    const { code } = toAppError(error);
    if (code === "E_NOT_FOUND") return undefined;
    const { skills, ...without } = front;
    // A running turn keeps its prompt: what was bound to the chat meanwhile comes with a later message.
    if (code === "E_STATE" && skills !== undefined) return await resumed(chat, id, without);
    throw error;
  }
}

/** Skills of the chat as its settings or its webhook name them. One that is unknown keeps no message from being answered. */
async function withSkills(
  { skills: api, options }: GatewayConversationDeps,
  { skills: names, platform, source }: Inbound,
  front: NewSession,
): Promise<NewSession> {
  if (api === undefined || names.length === 0) return front;
  const { cwd, env } = front;
  const { skills, missing } = await findSkills(api, names, { cwd, env, platform });
  if (missing.length > 0)
    options.log.child("gateway").warning("unknown skills of a chat are left out", {
      tag: platform,
      chat: source.chatId,
      skills: missing.join(", "),
    });
  return skills.length === 0 ? front : { ...front, skills: skills.map(({ name }) => name) };
}

/** What a conversation in a chat runs with. It does not have a viewer: what would ask is denied, unless it is open elsewhere. */
export function toChatSession(event: Inbound, options: AppOptions): NewSession {
  return {
    source: event.platform as SessionSource, // only platforms send messages
    cwd: workDirOf(options),
    env: definedVariables(options.config.outer),
    origin: originOf(event),
  };
}

export function originOf({ platform, source }: Inbound): ChatOrigin {
  return {
    platform,
    chat_id: source.chatId ?? source.userId ?? "",
    ...(source.threadId === null ? {} : { thread_id: source.threadId }),
    ...(source.chatName === null ? {} : { chat_name: source.chatName }),
    ...(source.userId === null ? {} : { user_id: source.userId }),
    ...(source.userIdAlt === null ? {} : { user_id_alt: source.userIdAlt }),
    chat_type: source.chatType,
    ...(source.userName === null ? {} : { user_name: source.userName }),
  };
}
