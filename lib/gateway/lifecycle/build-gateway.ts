import type { FileStore } from "../../../storage/file/open.js";
import type { Store } from "../../../storage/store.js";
import { noteTurnStep, pruneTurns } from "../../../storage/tables/gateway/sessions.js";
import type { Service } from "../../base/async/service.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { listRuntimeCommands } from "../../commands/slash/runtime-commands.js";
import type { AppOptions } from "../../config/app-options.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { GatewayHooks } from "../../contracts/gateway/hooks.js";
import type { OpenHooks } from "../../contracts/gateway/listen.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { findUnknownBindings } from "../../contracts/skills/bound-skills.js";
import { createHooks } from "../../http/hooks.js";
import { type ClaimsDeps, createClaims } from "../adapter/credential-claims.js";
import type { PlatformEntry } from "../adapter/define-platform.js";
import { claimsDir, credentialIn } from "../adapter/platform-credentials.js";
import { createGatewayAccess, type GatewayAccess } from "../admission/home-access.js";
import { memberOf } from "../admission/member-tier.js";
import type { CommandDeps } from "../commands/chat-command.js";
import { createAsked, replySends } from "../commands/command-replies.js";
import { offeredCommands } from "../commands/offered-commands.js";
import { platformCommands } from "../commands/platform-commands.js";
import { backgroundAnswers } from "../conversations/background-answers.js";
import { createChatTopics, topicCommands } from "../conversations/chat-topics.js";
import { conversationsWithSteps } from "../conversations/conversation-steps.js";
import { type Conversations, createConversations } from "../conversations/conversations.js";
import { createHandoff } from "../conversations/handoff.js";
import { noticeReplies } from "../conversations/notice-replies.js";
import { spokenAnswers } from "../conversations/spoken-answers.js";
import { outboundOf } from "../conversations/turn-media.js";
import { expireBacklog } from "../inbox/backlog.js";
import type { Inbox } from "../inbox/inbox.js";
import { joiningOf } from "../inbox/joining.js";
import { sweepMedia } from "../media/receive-media.js";
import { commandIn } from "../router/command-text.js";
import { createGateway, type Gateway } from "../router/gateway.js";
import { createRouter, type RouterDeps } from "../router/router.js";
import { ACCESS } from "../settings/access-keys.js";
import { rulesOf } from "../settings/configured-rules.js";
import { GATEWAY } from "../settings/gateway-keys.js";
import { platformSettings, settingsSource } from "../settings/platform-settings.js";
import { sessionKeyOf } from "../settings/session-key.js";
import { keyRulesOf } from "../settings/session-key-rules.js";
import { ownTurns } from "../turns/own-turns.js";
import { type ParkedFormsDeps, parkedForms } from "../turns/parked-forms.js";
import { createTurnParts } from "../turns/turn-parts.js";
import { buildWebhooks } from "../webhooks/build-webhooks.js";
import type { BuiltGateway, LifeListeners } from "./gateway-lifecycle.js";
import { hookAid, hookBegun, hookCommands, hookMoved } from "./hook-points.js";
import { buildTurns } from "./turn-steps.js";

/** Where none are configured. */
const NO_HOOKS: GatewayHooks = {
  wants: () => false,
  tell: () => undefined,
  asks: () => false,
  decide: async () => undefined,
  idle: async () => undefined,
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

interface BuiltOn {
  readonly options: AppOptions;
  readonly chat: ChatApi;
  readonly board: BoardApi;
  readonly stores: { sessions(): Promise<FileStore> };
}

export interface BuildParts {
  readonly app: BuiltOn;
  readonly store: Store;
  readonly entries: readonly PlatformEntry[];
  readonly commands: Pick<CommandDeps, "services" | "entries">;
  /** Makes an adapter; default: as its file says. */
  readonly make?: (entry: PlatformEntry, inbox: Inbox) => Platform;
  readonly chance?: () => number;
  /** Default: that of the app. */
  readonly clock?: Clock;
  /** The first answer on a platform without a home channel says so. */
  readonly hints?: boolean;
  /** A message of an admitted user came from a chat. */
  readonly seen?: (event: Inbound, sessionKey: string) => Promise<void>;
  /** Told what happens. */
  readonly life?: LifeListeners;
  /** Programs of the user that are notified as well. */
  readonly events?: GatewayHooks;
  /** Opens the listeners of adapters; default: one that knows those of this gateway. */
  readonly hooks?: OpenHooks;
}

/** Put the gateway of a home together, with the platforms that are enabled. Nothing is connected yet. */
export async function buildGateway(parts: BuildParts): Promise<BuiltGateway> {
  const { app, store, chance = Math.random, events = NO_HOOKS } = parts;
  const { options, chat } = app;
  const { ids, log, config } = options;
  const clock = parts.clock ?? options.clock;
  const own = log.child("gateway");
  const keyOf = (event: Pick<Inbound, "platform" | "source">) => sessionKeyOf(event, keyRulesOf(config));
  const { makers, makerOf, credentialOf, hooks } = await loaded(parts);
  for (const { message } of await findUnknownBindings(config, parts.commands.services.skills.catalog, { env: {} }))
    own.warning(message);
  const stored = createConversations({
    store,
    chat,
    options: { ...options, clock },
    skills: parts.commands.services.skills.catalog,
    begun: hookBegun(events),
  });
  const adapters = () => gateway.supervisor.platforms();
  const topics = createChatTopics({
    sessions: app.stores.sessions,
    clock,
    keyOf,
    move: stored.move,
    log: own,
    platforms: adapters,
  });
  const conversations = conversationsWithSteps({ stored, topics, moved: hookMoved(events) });
  const rows = async (turn: string) => (await gateway.inbox.running()).filter((row) => row.turn_id === turn);
  const { allowing, passes, problems } = createGatewayAccess(store, options);
  const member = (event: Inbound) => memberOf(event, allowing(event));
  const inTurns = createTurnParts({
    app,
    store,
    clock,
    gateway: () => gateway,
    at: conversations.at,
    member,
    aids: [hookAid(events)],
  });
  const spoken = spokenAnswers({
    voice: parts.commands.services.voice,
    outbound: outboundOf(options),
    outbox: () => gateway.outbox,
    log: own,
  });
  const { turns, slow } = buildTurns({
    app,
    store,
    hints: parts.hints,
    clock,
    log: own,
    conversations,
    inTurns,
    spoken,
    rows,
    gateway: () => gateway,
  });
  const gateway: Gateway = createGateway({
    store,
    clock,
    ids,
    chance,
    turns,
    rules: rulesOf(options),
    log: own,
    upkeep: async () =>
      void (await Promise.all([stored.prune(), sweepMedia({ ...options, cache: options.home.cache })])),
    ...(parts.life === undefined ? {} : { onFatal: parts.life.fatal }),
    connectTimeoutMs: () => connectTimeout(config.env),
    platforms: (inbox) => makers.map((make) => make(inbox)),
    claims: createClaims({ ...options, clock, dir: claimsDir(options), credentialOf }),
  });
  const answers = backgroundAnswers({ chat, store, clock, outbox: () => gateway.outbox, log: own });
  const asked = createAsked({
    ...parts.commands,
    chat,
    conversations,
    options,
    allowing,
    clock,
    background: answers.owe,
    work: async (key) => ({ turn: inTurns.progress(key), waiting: await gateway.inbox.waiting(key) }),
    steps: {
      hooks: hookCommands(events),
      turn: inTurns.commands,
      platform: platformCommands({ platforms: adapters, allowing }),
      topics: topicCommands(topics, stored),
    },
  });
  const router = createRouter({
    inbox: gateway.inbox,
    clock,
    keyOf,
    log: own,
    passes: noting(passes, (event) => parts.seen?.(event, keyOf(event))),
    ...(parts.life === undefined ? {} : { held: parts.life.admitted }),
    begin: begins(store, clock),
    harmless: (event, name) => HARMLESS.has(name) && !events.asks(commandIn(event) ?? ""),
    ...asked,
    triggers: () => config.get(ACCESS.resetTriggers),
    aside: noticeReplies({ store, board: app.board, member, now: clock.now, first: topics.lobby }),
    joining: (event) => joiningOf(event, allowing(event).platform),
    press: async (event) => (await slow.press(event)) ?? (await asked.press(event)) ?? inTurns.press(event),
    busy: inTurns.busy,
    answer: replySends,
  });
  const webhooks = buildWebhooks({ options, store, gateway, hooks, clock });
  const more = alongside({ app, store, clock, gateway, conversations, keyOf, log: own, questions: inTurns.questions });
  const change = async (tag: PlatformTag, entry: PlatformEntry | undefined) =>
    gateway.supervisor.replace(tag, entry && (await makerOf(entry))(gateway.inbox));
  const open = { options, store, gateway, conversations };
  const { handoff, services } = more;
  const whole = beside(router, [...services, answers.service, spoken.service]);
  return {
    gateway,
    topics,
    problems,
    webhooks,
    change,
    handoff,
    router: whole,
    prepare: () => prepare(open),
  };
}

interface Alongside extends Pick<BuildParts, "app" | "store"> {
  readonly clock: Clock;
  readonly gateway: Gateway;
  readonly conversations: Conversations;
  readonly keyOf: (event: Pick<Inbound, "platform" | "source">) => string;
  readonly log: Log;
  readonly questions: ParkedFormsDeps["questions"];
}

/** What goes on beside the messages of chats: what conversations say by themselves, and those that are handed over. */
function alongside({ app, store, clock, gateway, log, questions, ...keys }: Alongside) {
  const { options, chat } = app;
  const around = {
    app,
    store,
    log,
    outbox: () => gateway.outbox,
    platforms: () => gateway.supervisor.platforms(),
  };
  const alone = ownTurns(around);
  const parked = parkedForms({ ...around, questions });
  const source = settingsSource(options);
  const rules = () => keyRulesOf(options.config);
  const handoff = createHandoff({
    ...keys,
    rules,
    store,
    clock,
    ids: options.ids,
    log,
    chat,
    source,
    gateway: () => gateway,
  });
  return { handoff, services: [alone, parked, handoff.service] };
}

/** One after the other; they end in the order back. */
const beside = <T extends Service>(first: T, others: readonly Service[]): T => ({
  ...first,
  start: async () => {
    for (const one of [first, ...others]) await one.start();
  },
  stop: async (deadline) => {
    for (const one of [first, ...others].reverse()) await one.stop(deadline);
  },
});

/** Chats of those who may talk are known by name. */
function noting(
  passes: GatewayAccess["passes"],
  seen: (event: Inbound) => Promise<void> | undefined,
): GatewayAccess["passes"] {
  return async (event) => {
    const passage = await passes(event);
    if (passage.passes) await seen(passage.event);
    return passage;
  };
}

interface Prepared {
  readonly options: AppOptions;
  readonly store: Store;
  readonly gateway: Gateway;
  readonly conversations: Conversations;
}

async function prepare({ options, store, gateway, conversations }: Prepared): Promise<void> {
  const { clock, config } = options;
  await expireBacklog({ store, clock, outbox: gateway.outbox }, config.get(GATEWAY.backlogHours) * HOUR_MS);
  const before = clock.now() - Math.max(rulesOf(options).inboxRetentionMs(), DAY_MS);
  await store.write("gateway.prune", (tx) => pruneTurns(tx, before));
  await conversations.prune();
}

/** Commands that only tell something. */
const HARMLESS: ReadonlySet<string> = new Set(["status", "help", "commands", "whoami", "version"]);

const begins =
  (store: Store, clock: Clock): RouterDeps["begin"] =>
  async ({ seq }) => {
    const begun_at = clock.now();
    const name = `command:${seq}`;
    const [noted = []] = await store.script("gateway.command", [
      noteTurnStep({ turn: name, root: name, session_id: NOWHERE, begun_at }),
    ]);
    return noted.length === 1;
  };

/** A command is noted like a turn that has no conversation. */
const NOWHERE = "" as Parameters<typeof noteTurnStep>[0]["session_id"]; // no session has it

const CONNECT_SECONDS = 30;

function connectTimeout(env: AppOptions["env"]): number {
  const seconds = Number(env["AGENT_GATEWAY_PLATFORM_CONNECT_TIMEOUT"]);
  return (Number.isFinite(seconds) && seconds > 0 ? seconds : CONNECT_SECONDS) * 1000;
}

type Maker = (inbox: Inbox) => Platform;

interface Loaded {
  readonly makers: readonly Maker[];
  readonly makerOf: (entry: PlatformEntry) => Promise<Maker>;
  readonly credentialOf: ClaimsDeps["credentialOf"];
  /** What listeners are opened with. */
  readonly hooks: OpenHooks;
}

async function loaded(parts: BuildParts): Promise<Loaded> {
  const { entries, make, app, chance = Math.random } = parts;
  const { clock, ids, net, log, home } = app.options;
  const hooks = parts.hooks ?? createHooks({ clock: parts.clock ?? clock, log: log.child("gateway") });
  const source = settingsSource(app.options);
  const own = parts.commands;
  await own.services.runtime?.ready?.();
  const commands = offeredCommands(own.entries, listRuntimeCommands(own.services, own.entries));
  const claimed = new Map<string, readonly string[]>();
  const makerOf = async (entry: PlatformEntry): Promise<Maker> => {
    if (make !== undefined) return (inbox) => make(entry, inbox);
    const { create, claims, credentials } = await entry.load();
    claimed.set(entry.tag, claims ?? credentials.slice(0, 1));
    const settings = platformSettings(entry.tag, source);
    const others = (prefix: string) => platformSettings(prefix, source);
    const outside = {
      net,
      clock,
      ids,
      chance,
      hooks,
      log: log.child(entry.tag),
      home: home.dir,
      commands,
      version: app.options.version,
    };
    return (inlet) => create({ settings, others, inlet, ...outside });
  };
  const makers = await Promise.all(entries.map(makerOf));
  return {
    makers,
    makerOf,
    hooks,
    credentialOf: (one) => one.credential?.() ?? credentialIn(one.tag, claimed.get(one.tag) ?? [], source),
  };
}
