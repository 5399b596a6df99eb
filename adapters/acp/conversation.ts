import { type McpServer, RequestError, type SessionUpdate, type StopReason } from "@agentclientprotocol/sdk";
import { randomIds } from "../../lib/base/ids.js";
import { isRecord } from "../../lib/base/json/record.js";
import type { Log } from "../../lib/base/log/log.js";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";
import type { MessageJson, SessionJson } from "../../lib/contracts/wire/shapes/sessions.js";
import type { WireEvent } from "../../lib/contracts/wire/wire.js";
import { type EditorConfig, readConfig } from "./config.js";
import type { Editor } from "./editor.js";
import type { EditorFileService } from "./editor-files.js";
import { toRequestError } from "./errors.js";
import type { Prompt } from "./prompt.js";
import { createQuestions, type Questions } from "./questions.js";
import { toServerEntry } from "./servers.js";
import { nothingShown, type Shown, toAgentChunk, toUpdates, toUserChunk, turnShown } from "./updates.js";

/** Toolsets of conversations in editors (core part, 16.1). */
const TOOLSETS = ["agent-acp"];

/** A prompt whose turn has not ended. */
interface Waiting {
  /** Names its request; the turn that it begins carries it. */
  readonly key: string;
  turn: string | undefined;
  /** It waits in the queue of the conversation as this item. */
  item: string | undefined;
  cancelled: boolean;
  resolve(reason: StopReason): void;
  reject(error: RequestError): void;
}

export interface ConversationDeps {
  readonly line: OwnerLine;
  readonly editor: Editor;
  readonly files: EditorFileService;
  readonly log: Log;
}

/** What the editor gives a conversation. */
export interface ConversationPlace {
  readonly cwd: string;
  /** MCP servers for this conversation alone. */
  readonly servers: readonly McpServer[];
}

interface Own extends ConversationDeps {
  readonly id: string;
  readonly cwd: string;
  readonly servers: readonly McpServer[];
  readonly root: string;
  /** Sessions of its lineage that were met: a compaction goes on in another one. */
  readonly segments: Set<string>;
  session: string;
  unfollow: (() => void) | undefined;
  shown: Shown;
  config: EditorConfig;
  readonly waiting: Map<string, Waiting>;
  /** Messages of the user whose turn has not begun: whose they are is known then. */
  readonly heard: Map<string, string>;
  readonly questions: Questions;
  /** What happens is reported in order. */
  tail: Promise<void>;
  refreshing: Promise<void>;
  title: string | null;
}

/** Calls the owner, which may be a further one that is greeted. */
type ConversationCall = <T>(method: string, params?: object) => Promise<T>;

/** One conversation that the editor has open. */
export interface Conversation {
  /** As the editor names it. */
  readonly id: string;
  readonly cwd: string;
  readonly config: EditorConfig;
  /** An event of some conversation. */
  hear(event: WireEvent): void;
  /** @returns why it ended. @throws RequestError when the turn failed */
  prompt(prompt: Prompt): Promise<StopReason>;
  cancel(): Promise<void>;
  /** Run a slash command. @returns what it says */
  command(text: string): Promise<CommandAnswer>;
  refreshConfig(): Promise<EditorConfig>;
  /** Open it at a further owner. */
  again(call: ConversationCall): Promise<void>;
  /** Waiters learn that no owner runs. */
  lost(): void;
  /** The editor leaves it. `interrupt`: its turns here end. */
  close(interrupt: boolean): Promise<void>;
}

/** What `command.run` answers. */
interface CommandAnswer {
  readonly text: string;
  readonly exit: number;
  readonly data?: unknown;
  readonly next?: { readonly open?: string; readonly compose?: string; readonly gone?: true };
}

/** How a conversation is opened. */
export const openingParams = (line: OwnerLine, cwd: string) => ({
  source: "acp",
  cwd,
  env: line.env,
  toolsets: TOOLSETS,
});

/** Show a conversation that was opened. @param id as the editor names it */
export async function showConversation(
  deps: ConversationDeps,
  id: string,
  session: SessionJson,
  { cwd, servers }: ConversationPlace,
): Promise<Conversation> {
  const { line, editor, log } = deps;
  const own: Own = {
    ...deps,
    id,
    cwd,
    servers,
    root: session.lineage_root,
    segments: new Set([session.session_id, session.lineage_root]),
    session: session.session_id,
    unfollow: undefined,
    shown: nothingShown(cwd),
    config: await readConfig(line, session.session_id),
    waiting: new Map(),
    heard: new Map(),
    questions: createQuestions({ line, editor, log, sessionId: id }),
    tail: Promise.resolve(),
    refreshing: Promise.resolve(),
    title: session.title,
  };
  await follow(own, session.session_id);
  await attach(own, (method, params) => line.call(method, params, { repeat: true }));
  return {
    id,
    cwd,
    get config() {
      return own.config;
    },
    hear: (event) => hear(own, event),
    prompt: (prompt) => promptTurn(own, prompt),
    cancel: () => cancel(own),
    command: (text) => command(own, text),
    refreshConfig: () => refreshConfig(own),
    again: (call) => again(own, call),
    lost: () => lost(own),
    close: (interrupt) => close(own, interrupt),
  };
}

/** What the session streams from now on. */
async function follow(own: Own, session: string): Promise<void> {
  own.session = session;
  own.segments.add(session);
  own.unfollow?.();
  own.unfollow = await own.line.follow([session], (event) => hear(own, event));
}

/** The editor looks at it: its questions are asked. Those that are open are asked again. */
async function attach(own: Own, call: ConversationCall): Promise<void> {
  const { questions } = await call<{ readonly questions: readonly unknown[] }>("session.attach", {
    session_id: own.session,
  });
  own.questions.open(questions);
  await own.files.attach(own.session, { id: own.id, roots: [own.cwd], call });
  if (own.servers.length > 0) await startServers(own, own.servers, call);
}

async function startServers(own: Own, servers: readonly McpServer[], call: ConversationCall): Promise<void> {
  const given = servers.map((server) => toServerEntry(server, own.cwd));
  await call("editor.servers", { session_id: own.session, servers: given });
}

async function again(own: Own, call: ConversationCall): Promise<void> {
  await call("session.resume", { ...openingParams(own.line, own.cwd), session_id: own.session });
  await attach(own, call);
}

function hear(own: Own, event: WireEvent): void {
  if (event.session_id === undefined || !own.segments.has(event.session_id)) return;
  own.tail = own.tail
    .then(() => handle(own, event))
    .catch((error: unknown) =>
      own.log.warning("an event could not be shown", { event: event.event, error: String(error) }),
    );
}

async function handle(own: Own, event: WireEvent): Promise<void> {
  const { data } = event;
  if (own.questions.hear(event)) return;
  const whole = event.event === "message.added" ? await wholeMessage(own, event) : event;
  for (const update of toUpdates(own.shown, whole)) await tell(own, update);
  switch (event.event) {
    case "message.added":
      if (data["role"] === "user" && data["kind"] === undefined)
        own.heard.set(String(data["id"]), String(whole.data["content"]));
      return;
    case "turn.started":
      return begun(own, data);
    case "turn.ended":
      return ended(own, data);
    case "session.info":
      return informed(own, data);
    case "compaction.ended":
      if (typeof data["new_session_id"] === "string") await follow(own, data["new_session_id"]);
      return;
    case "compaction.undone":
      if (typeof data["session_id"] === "string") await follow(own, data["session_id"]);
      return;
    default:
      return;
  }
}

const tell = (own: Own, update: SessionUpdate): Promise<void> => own.editor.update(own.id, update);

/** Events carry long messages cut. */
async function wholeMessage(own: Own, event: WireEvent): Promise<WireEvent> {
  const { data } = event;
  if (data["truncated"] !== true) return event;
  const stored = await own.line.call<MessageJson | null>(
    "session.message",
    { session_id: event.session_id, ordinal: data["ordinal"] },
    { repeat: true },
  );
  return stored === null ? event : { ...event, data: { ...data, content: stored.content } };
}

/** A turn has begun: of a prompt of this editor, or of another front end of the conversation. */
async function begun(own: Own, data: WireEvent["data"]): Promise<void> {
  const waiting = typeof data["request"] === "string" ? own.waiting.get(data["request"]) : undefined;
  const message = String(data["user_message_id"]);
  const text = own.heard.get(message);
  own.heard.clear();
  if (waiting === undefined) {
    if (text !== undefined && text !== "") await tell(own, toUserChunk(text));
    return;
  }
  waiting.turn = String(data["turn_id"]);
  if (waiting.cancelled) await interrupt(own);
}

async function ended(own: Own, data: WireEvent["data"]): Promise<void> {
  own.questions.close();
  own.shown = turnShown(own.shown);
  const { context_window: size, last_prompt_tokens: used } = data;
  if (typeof size === "number" && size > 0 && typeof used === "number")
    await tell(own, { sessionUpdate: "usage_update", used, size });
  const turn = String(data["turn_id"]);
  const waiting = [...own.waiting.values()].find((one) => one.turn === turn);
  if (waiting !== undefined) settle(own, waiting, data);
}

function settle(own: Own, waiting: Waiting, data: WireEvent["data"]): void {
  own.waiting.delete(waiting.key);
  const { error } = data;
  if (waiting.cancelled || data["interrupted"] === true) waiting.resolve("cancelled");
  else if (data["failed"] === true && isRecord(error)) waiting.reject(failure(error));
  else waiting.resolve(REASONS.get(String(data["exit_reason"])) ?? "end_turn");
}

const REASONS: ReadonlyMap<string, StopReason> = new Map<string, StopReason>([
  ["budget_exhausted", "max_turn_requests"],
  ["max_iterations_reached", "max_turn_requests"],
  ["cost_limit_reached", "max_turn_requests"],
  ["time_limit_reached", "max_turn_requests"],
  ["guardrail_halt", "max_turn_requests"],
  ["truncated", "max_tokens"],
  ["context_too_small", "max_tokens"],
  ["content_policy_blocked", "refusal"],
]);

/** A login or a key that is missing is asked for in a terminal. */
function failure(error: Readonly<Record<string, unknown>>): RequestError {
  const text = [error["message"], error["hint"]].filter((part) => typeof part === "string" && part !== "").join("; ");
  const data = { class: error["class"], hint: error["hint"] };
  if (error["class"] === "auth") return new RequestError(-32000, `${text}; run \`agent setup\` in a terminal`, data);
  return new RequestError(-32603, text, data);
}

async function informed(own: Own, data: WireEvent["data"]): Promise<void> {
  const { title } = data;
  if (typeof title === "string" && title !== own.title) {
    own.title = title;
    await tell(own, { sessionUpdate: "session_info_update", title });
  }
  if (typeof data["yolo"] !== "boolean" && data["model"] === own.config.model) return;
  await refreshConfig(own);
}

/** One after the other, so that each change is reported once. */
function refreshConfig(own: Own): Promise<EditorConfig> {
  const fresh = own.refreshing.then(() => readFresh(own));
  own.refreshing = fresh.then(
    () => undefined,
    () => undefined, // the caller gets the error
  );
  return fresh;
}

async function readFresh(own: Own): Promise<EditorConfig> {
  const before = own.config;
  own.config = await readConfig(own.line, own.session);
  if (own.config.mode !== before.mode)
    await tell(own, { sessionUpdate: "current_mode_update", currentModeId: own.config.mode });
  if (own.config.mode !== before.mode || own.config.model !== before.model)
    await tell(own, { sessionUpdate: "config_option_update", configOptions: own.config.options });
  return own.config;
}

/** One prompt, to the end of its turn. While another turn runs it waits in the queue. */
async function promptTurn(own: Own, prompt: Prompt): Promise<StopReason> {
  if (prompt.command) return commandTurn(own, prompt.text);
  const pictures: string[] = [];
  try {
    for (const { bytes, extension } of prompt.pictures) pictures.push(await own.line.keepPicture(bytes, extension));
    return await awaited(own, async (key) => {
      const given = { session_id: own.session, text: prompt.text, mode: "queue" };
      const attachments = pictures.length === 0 ? {} : { attachments: pictures };
      return own.line.call("turn.submit", { ...given, ...attachments }, { key });
    });
  } finally {
    for (const path of pictures) await own.line.dropPicture(path);
  }
}

/** Start a turn and wait for its end. `start` answers with the turn, or with its place in the queue. */
function awaited(own: Own, start: (key: string) => Promise<unknown>): Promise<StopReason> {
  const key = `acp-${randomIds.hex(16)}`;
  return new Promise((resolve, reject) => {
    const waiting: Waiting = { key, turn: undefined, item: undefined, cancelled: false, resolve, reject };
    own.waiting.set(key, waiting);
    start(key).then(
      async (posted) => {
        if (!isRecord(posted)) return;
        if (typeof posted["turn_id"] === "string") waiting.turn ??= posted["turn_id"];
        if (isRecord(posted["queued"])) waiting.item = String(posted["queued"]["id"]);
        if (waiting.cancelled && own.waiting.has(key)) await withdraw(own, waiting);
      },
      (error: unknown) => {
        own.waiting.delete(key);
        reject(toRequestError(error));
      },
    );
  });
}

/** A slash command: what it says is said by the agent. One that starts a turn is waited for. */
async function commandTurn(own: Own, text: string): Promise<StopReason> {
  const answer = await command(own, text);
  const turn = isRecord(answer.data) && typeof answer.data["turn_id"] === "string" ? answer.data["turn_id"] : undefined;
  if (turn !== undefined) {
    const where = { session_id: own.session };
    const open = await own.line.call<{ readonly turn_id: string | null }>("session.attach", where, { repeat: true });
    return open.turn_id === turn ? awaited(own, async () => ({ turn_id: turn })) : "end_turn";
  }
  const { next } = answer;
  const elsewhere =
    next?.open === undefined || own.segments.has(next.open)
      ? ""
      : `\n\nIt opened another session, ${next.open}: load it from the editor's list of sessions.`;
  await tell(own, toAgentChunk(`${answer.text}${elsewhere}`));
  await refreshConfig(own);
  return "end_turn";
}

async function command(own: Own, text: string): Promise<CommandAnswer> {
  const place = { session_id: own.session, cwd: own.cwd, env: own.line.env };
  return own.line.call<CommandAnswer>(
    "command.run",
    { text, data: true, ...place },
    { key: `acp-${randomIds.hex(16)}` },
  );
}

async function cancel(own: Own): Promise<void> {
  for (const waiting of own.waiting.values()) {
    waiting.cancelled = true;
    await withdraw(own, waiting);
  }
  own.questions.close();
}

/** Take back a prompt: from the queue, or by an interrupt of its turn. One that the owner has not taken yet is taken back when it has. */
async function withdraw(own: Own, waiting: Waiting): Promise<void> {
  if (waiting.turn !== undefined) return interrupt(own);
  if (waiting.item === undefined) return;
  await own.line
    .call("queue.remove", { session_id: own.session, item: waiting.item })
    .catch((error: unknown) => own.log.debug("a queued prompt has begun meanwhile", { error: String(error) }));
  if (waiting.turn !== undefined) return interrupt(own);
  own.waiting.delete(waiting.key);
  waiting.resolve("cancelled");
}

async function interrupt(own: Own): Promise<void> {
  await own.line.call("turn.interrupt", { session_id: own.session }, { repeat: true });
}

function lost(own: Own): void {
  const error = new RequestError(
    -32603,
    "the process that owns the agent's home has ended, and no other has taken its place; start `agent` in a terminal, then prompt again",
    { code: "E_OWNER" },
  );
  for (const waiting of own.waiting.values()) waiting.reject(error);
  own.waiting.clear();
}

async function close(own: Own, stop: boolean): Promise<void> {
  if (stop && own.waiting.size > 0) await cancel(own);
  own.questions.close();
  own.unfollow?.();
  const params = { session_id: own.session };
  for (const session of own.segments) await own.files.detach(session);
  if (own.servers.length > 0)
    await startServers(own, [], (method, more) => own.line.call(method, more, { repeat: true }));
  await own.line.call("session.detach", params, { repeat: true });
  await own.line.call("session.close", params, { repeat: true });
}
