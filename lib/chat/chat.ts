import type { Store } from "../../storage/store.js";
import { AppError } from "../base/errors.js";
import type { ChatApi, ChatEvent, NewSession, SessionRecord } from "../proto/chat.js";
import type { ToolCall } from "../proto/model.js";
import type { BoardPort } from "../tools/board-port.js";
import type { Permission, PermissionAnswer } from "../tools/define.js";
import { type ConversationDeps, openConversation } from "./conversation.js";
import { exportLineage } from "./export.js";
import { followSession } from "./follow.js";
import { createHub, type Hub } from "./hub.js";
import { type Converse, createOpenSessions } from "./open-sessions.js";
import { createSessions, type Sessions } from "./sessions.js";
import { completeDeletions, deleteLineage, type SessionFiles } from "./sessions-delete.js";
import { createSessionSearch, type SessionSearch } from "./sessions-search.js";
import { openTranscript } from "./transcript.js";
import { hydrate, sessionEvents } from "./transcript-events.js";

/** What a conversation may do and what it must not show, made once for each open conversation. */
export interface Gate {
  permit(permission: Permission, cwd: string): Promise<PermissionAnswer>;
  redact(text: string): string;
  /** The call as it is run: placeholders that stand for secrets replaced where the tool may have the true value. */
  reveal(call: ToolCall): ToolCall;
}

export interface ChatDeps extends ConversationDeps {
  /** The session store, opened when it is first needed. */
  store(): Promise<Store>;
  readonly files: SessionFiles;
  gate(session: SessionRecord, options: NewSession): Gate;
  /** The board as this session may use it, and the names of the board tools it may see. */
  board(session: SessionRecord, options: NewSession): { readonly port?: BoardPort; readonly tools: ReadonlySet<string> };
  /** A live event for clients that follow topics. */
  publish(event: ChatEvent): void;
  /** The owner only looks: nothing is recovered or written. */
  readonly readonly: boolean;
}

/** The chat of an owner: its sessions and the turns that run in it. */
export interface Chat extends ChatApi {
  /** Turns that run at this moment. */
  openTurns(): number;
  /** Interrupt every turn, wait for their ends, let go of every tool. */
  stop(): Promise<void>;
}

interface Book {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly search: SessionSearch;
}

export function createChat(deps: ChatDeps): Chat {
  const { clock } = deps.ports;
  const hub = createHub((error) => deps.log.error("events of a session were lost", { error: String(error) }));
  const book = openBook(deps, hub);
  const open = createOpenSessions(converseWith(deps), (session, turn, event, data) => {
    const told: ChatEvent = { event, session_id: session, at: clock.now(), data, ...(turn === undefined ? {} : { turn_id: turn }) };
    hub.live(told);
    deps.publish(told);
  });
  const deleting = async () => ({ store: (await book()).store, clock, files: deps.files });
  return {
    ...reads(book, hub),
    create: async (input) => {
      const session = await (await book()).sessions.create(toInput(input, deps.home.profile));
      await open.open(session, input);
      return session;
    },
    resume: async (id, options) => {
      const session = await (await book()).sessions.reopen(id, options.cwd);
      await open.open(session, options);
      return session;
    },
    rename: async (id, title) => (await book()).sessions.rename(id, title),
    submit: async (turn) => {
      const { store, sessions } = await book();
      if (!open.isOpen(turn.session)) {
        const session = await sessions.get(turn.session);
        if (!session) throw new AppError("E_NOT_FOUND", `there is no session ${turn.session}`, { hint: "agent sessions list shows them" });
        await open.open(session, { source: "cli", cwd: session.cwd, env: {} });
      }
      return open.run(store, turn);
    },
    interrupt: async (id) => open.interrupt(id),
    delete: async (id) => {
      await open.close(id);
      return deleteLineage(await deleting(), id);
    },
    openTurns: () => open.running(),
    stop: () => open.stop(),
  };
}

function reads(book: () => Promise<Book>, hub: Hub) {
  return {
    get: async (id) => (await book()).sessions.get(id),
    find: async (name) => (await book()).sessions.find(name),
    list: async (filter) => (await book()).sessions.list(filter),
    messages: async (id, page) => (await book()).sessions.messages(id, page),
    export: async function* (id, format) {
      yield* exportLineage((await book()).store, id, format);
    },
    search: async (query, limit) => (await (await book()).search.search(query, { limit })).hits,
    cursor: async () => (await book()).store.lastSeq(),
    events: (id, after, signal) =>
      followSession({ hub, session: id, read: async (session, seq) => sessionEvents((await book()).store, session, seq) }, after, signal),
  } satisfies Partial<ChatApi>;
}

function openBook(deps: ChatDeps, hub: Hub): () => Promise<Book> {
  let ready: Promise<Book> | undefined;
  const make = async (): Promise<Book> => {
    const store = await deps.store();
    const { clock, ids } = deps.ports;
    if (!deps.readonly) await completeDeletions({ store, clock, files: deps.files });
    store.onEvents((events) => {
      const sessions = new Set(events.map((event) => event.session));
      for (const session of sessions)
        if (session !== undefined)
          hub.durable(session, () =>
            hydrate(
              store,
              events.filter((one) => one.session === session),
            ),
          );
    });
    return { store, sessions: createSessions({ store, clock, ids }), search: createSessionSearch(store, clock) };
  };
  return () => {
    ready ??= make();
    ready.catch(() => {
      ready = undefined; // a store that could not be opened is tried again: it may have been mended
    });
    return ready;
  };
}

const converseWith =
  (deps: ChatDeps): Converse =>
  (store, session, options, live) => {
    const board = deps.board(session, options);
    const { model, provider } = options;
    return openConversation(deps, {
      ...deps.gate(session, options),
      transcript: openTranscript({ store, clock: deps.ports.clock }, session),
      cwd: options.cwd,
      env: options.env,
      wanted: { ...(model === undefined ? {} : { model }), ...(provider === undefined ? {} : { provider }) },
      toolsets: options.toolsets ?? [],
      boardTools: board.tools,
      ...(board.port === undefined ? {} : { board: board.port }),
      live,
    });
  };

function toInput(input: NewSession, profile: string): Parameters<Sessions["create"]>[0] {
  const { source, cwd, title, toolsets, ephemeral } = input;
  return {
    source,
    cwd,
    profile: input.profile ?? profile,
    model: "",
    provider: "",
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(title === undefined ? {} : { title }),
    ...(ephemeral === undefined ? {} : { ephemeral }),
  };
}
