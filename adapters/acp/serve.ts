import { isAbsolute } from "node:path";
import {
  type AgentCapabilities,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  PROTOCOL_VERSION,
  RequestError,
  type SessionInfo,
} from "@agentclientprotocol/sdk";
import { randomIds } from "../../lib/base/ids.js";
import type { Log } from "../../lib/base/log/log.js";
import type { OwnerLine } from "../../lib/contracts/acp/owner-line.js";
import type { BroughtServer } from "../../lib/contracts/mcp/brought.js";
import type { ListedSessionJson, SessionJson } from "../../lib/contracts/wire/shapes/sessions.js";
import { boundLines } from "./bounded-lines.js";
import { listCommands } from "./commands.js";
import { settingCommand, toModes } from "./config.js";
import { type Conversation, type ConversationPlace, openingParams, showConversation } from "./conversation.js";
import { createEditor, type Editor } from "./editor.js";
import { createEditorFiles, type EditorFileService } from "./editor-files.js";
import { toRequestError } from "./errors.js";
import { toPrompt } from "./prompt.js";
import { type PagedMessage, toHistory } from "./replay.js";

export interface ServeDeps {
  readonly line: OwnerLine;
  readonly version: string;
  readonly log: Log;
  readonly input: ReadableStream<Uint8Array>;
  readonly output: WritableStream<Uint8Array>;
  /** Aborts when the process is to end. */
  readonly signal: AbortSignal;
}

/** Largest message of an editor: a prompt with a few pictures. */
const MESSAGE_BYTES = 64 << 20;
/** Conversations that one editor has open. */
const MOST_OPEN = 100;
const PAGE = 50;
const MOST_LISTED = 1_000;

const CAPABILITIES: AgentCapabilities = {
  loadSession: true,
  promptCapabilities: { image: true, audio: false, embeddedContext: true },
  mcpCapabilities: { http: true, sse: true },
  sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
};

interface Own extends ServeDeps {
  readonly editor: Editor;
  readonly files: EditorFileService;
  readonly open: Map<string, Conversation>;
}

/**
 * Serve the agent to the editor at the other end. Resolves when the editor has closed its end or the signal aborts; the turns that it began are
 * interrupted then.
 */
export async function serveAcp(deps: ServeDeps): Promise<void> {
  const { line, input, output, signal, log } = deps;
  let capabilities: ClientCapabilities = {};
  const open = new Map<string, Conversation>();
  const app = agent({ name: "agent" });
  app.onRequest(methods.agent.initialize, ({ params }) => {
    capabilities = params.clientCapabilities ?? {};
    log.info("an editor has connected", { editor: params.clientInfo?.name, version: params.clientInfo?.version });
    return welcome(deps.version);
  });
  const bound = boundLines({ input, output }, MESSAGE_BYTES);
  const stream = ndJsonStream(bound.output, bound.input, { maxMessageBytes: MESSAGE_BYTES });
  const connection = handlers(app, () => own).connect(stream);
  const editor = createEditor(connection.client, () => capabilities);
  const files = createEditorFiles({ line, editor, log });
  const own: Own = { ...deps, open, editor, files };
  line.onEvent((event) => {
    for (const conversation of open.values()) conversation.hear(event);
  });
  line.onOwner(async (call) => {
    for (const conversation of open.values())
      await conversation
        .again(call)
        .catch((error: unknown) => log.warning("a session could not be opened again", { error: String(error) }));
  });
  line.onNoOwner(() => {
    for (const conversation of open.values()) conversation.lost();
  });
  await files.listen();
  const stop = () => connection.close();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await connection.closed.catch((error: unknown) => log.warning("the connection has broken", { error: String(error) }));
  signal.removeEventListener("abort", stop);
  for (const conversation of open.values())
    await conversation
      .close(true)
      .catch((error: unknown) => log.debug("a session could not be closed", { error: String(error) }));
  files.close();
}

/** No login is needed: models and keys are those of the home. */
const welcome = (version: string): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: "agent", title: "Agent", version },
  agentCapabilities: CAPABILITIES,
  authMethods: [
    { id: "setup", name: "Set up a model", description: "Run `agent setup` in a terminal, then try again." },
  ],
});

/** @param own there when the first message is handled */
function handlers(app: ReturnType<typeof agent>, own: () => Own): ReturnType<typeof agent> {
  const { session } = methods.agent;
  return app
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(session.new, ({ params }) => told(() => newSession(own(), params)))
    .onRequest(session.load, ({ params }) => told(() => loadSession(own(), params, true)))
    .onRequest(session.resume, ({ params }) => told(() => loadSession(own(), params, false)))
    .onRequest(session.list, ({ params }) => told(() => listSessions(own(), params.cwd, params.cursor)))
    .onRequest(session.close, ({ params }) =>
      told(async () => {
        const conversation = named(own(), params.sessionId);
        own().open.delete(params.sessionId);
        await conversation.close(true);
        return {};
      }),
    )
    .onRequest(session.delete, ({ params }) => told(() => deleteSession(own(), params.sessionId)))
    .onRequest(session.prompt, ({ params, signal }) =>
      told(async () => {
        const conversation = named(own(), params.sessionId);
        const cancelled = () => cancel(own(), conversation);
        signal.addEventListener("abort", cancelled, { once: true });
        try {
          return { stopReason: await conversation.prompt(toPrompt(params.prompt)) };
        } finally {
          signal.removeEventListener("abort", cancelled);
        }
      }),
    )
    .onRequest(session.setMode, ({ params }) =>
      told(async () => {
        await set(named(own(), params.sessionId), "mode", params.modeId);
        return {};
      }),
    )
    .onRequest(session.setConfigOption, ({ params }) =>
      told(async () => {
        const { options } = await set(named(own(), params.sessionId), params.configId, params.value);
        return { configOptions: options };
      }),
    )
    .onNotification(session.cancel, ({ params }) => {
      const conversation = own().open.get(params.sessionId);
      if (conversation !== undefined) cancel(own(), conversation);
    });
}

function cancel({ log }: Own, conversation: Conversation): void {
  conversation
    .cancel()
    .catch((error: unknown) => log.warning("a turn could not be interrupted", { error: String(error) }));
}

async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRequestError(error);
  }
}

function named({ open }: Own, id: string): Conversation {
  const conversation = open.get(id);
  if (conversation !== undefined) return conversation;
  throw new RequestError(-32002, `session ${JSON.stringify(id)} is not open here; load it, or create one`, {
    sessionId: id,
  });
}

/** @throws invalid params for a directory that nothing can be done in, and for servers that cannot be reached */
function checkPlace({ line, open }: Own, { cwd, servers }: Place): void {
  const refuse = (problem: string) => {
    throw RequestError.invalidParams({ cwd }, problem);
  };
  if (!isAbsolute(cwd)) refuse(`cwd ${JSON.stringify(cwd)} is not an absolute path`);
  const kind = line.look(cwd);
  if (kind === "missing") refuse(`cwd ${cwd} does not exist`);
  if (kind !== "directory") refuse(`cwd ${cwd} is not a directory`);
  if (open.size >= MOST_OPEN) refuse(`${MOST_OPEN} sessions are open; close one first`);
  for (const { name } of servers)
    if (typeof name !== "string" || name === "") refuse("mcpServers: an entry has no name");
}

async function newSession(own: Own, { cwd, mcpServers, additionalDirectories }: NewSessionRequest) {
  const place = toPlace(cwd, mcpServers, additionalDirectories);
  checkPlace(own, place);
  const session = await own.line.call<SessionJson>("session.create", openingParams(own.line, cwd));
  return { sessionId: session.session_id, ...(await shown(own, session.session_id, session, place)) };
}

/** What an editor gives a session. */
interface Place extends ConversationPlace {
  /** Directories beside `cwd`. */
  readonly directories: readonly string[];
}

const toPlace = (cwd: string, servers: readonly McpServer[] = [], directories: readonly string[] = []): Place => ({
  cwd,
  servers,
  directories,
});

async function shown(own: Own, id: string, session: SessionJson, place: Place) {
  const { line, editor, files, log, open } = own;
  const conversation = await showConversation({ line, editor, files, log }, id, session, place);
  open.set(id, conversation);
  announce(own, conversation, place).catch((error: unknown) =>
    log.warning("commands could not be listed", { error: String(error) }),
  );
  return { modes: toModes(conversation.config), configOptions: conversation.config.options };
}

/** Behind the answer: an editor knows the session only then. */
async function announce(
  { line, editor }: Own,
  { id, cwd }: Conversation,
  { servers, directories }: Place,
): Promise<void> {
  const availableCommands = await listCommands(line, cwd);
  await editor.update(id, { sessionUpdate: "available_commands_update", availableCommands });
  const tell = (text: string) =>
    editor.update(id, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: `${text}\n` } });
  if (directories.length > 0) await tell(`Further directories are not part of the session: ${directories.join(", ")}.`);
  if (servers.length === 0) return;
  const status = await line.call<{ readonly servers: readonly BroughtServer[] }>(
    "editor.server_status",
    { session_id: id },
    { repeat: true },
  );
  for (const { name, problem } of status.servers)
    if (problem !== null) await tell(`MCP server ${name} of the editor is not used: ${problem}.`);
}

interface Loading {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers?: McpServer[];
  readonly additionalDirectories?: string[];
}

async function loadSession(own: Own, { sessionId, ...given }: Loading, replays: boolean) {
  const { cwd } = given;
  const place = toPlace(cwd, given.mcpServers, given.additionalDirectories);
  checkPlace(own, place);
  const { line, editor, open } = own;
  const stored = await line.call<SessionJson | null>("session.get", { session_id: sessionId }, { repeat: true });
  if (stored === null)
    throw new RequestError(-32002, `no session ${JSON.stringify(sessionId)}; session/list lists them`, { sessionId });
  await open.get(sessionId)?.close(false);
  open.delete(sessionId);
  const session = await line.call<SessionJson>("session.resume", {
    ...openingParams(line, cwd),
    session_id: sessionId,
  });
  if (replays)
    for (const update of toHistory(await wholeHistory(line, session.session_id), cwd))
      await editor.update(sessionId, update);
  return await shown(own, sessionId, session, place);
}

/** Delete a session of `session/list`, with its messages. One that is open here is closed first. */
async function deleteSession({ line, open }: Own, id: string) {
  const stored = await line.call<SessionJson | null>("session.get", { session_id: id }, { repeat: true });
  if (stored === null || !PEOPLE.has(stored.source))
    throw new RequestError(-32002, `no session ${JSON.stringify(id)}; session/list lists them`, { sessionId: id });
  await open.get(id)?.close(true);
  open.delete(id);
  await line.call("session.delete", { session_id: id }, { key: `acp-${randomIds.hex(16)}` });
  return {};
}

interface Page {
  readonly messages: readonly PagedMessage[];
  readonly older: object | null;
}

async function wholeHistory(line: OwnerLine, session_id: string): Promise<readonly PagedMessage[]> {
  const pages: (readonly PagedMessage[])[] = [];
  let before: object | null = null;
  do {
    const place: object = before === null ? {} : { before };
    const page: Page = await line.call<Page>("session.page", { session_id, ...place }, { repeat: true });
    pages.push(page.messages);
    before = page.older;
  } while (before !== null);
  return pages.toReversed().flat();
}

/** Conversations of people, newest first. The cursor is the number of those before the page. */
async function listSessions({ line }: Own, cwd: string | null | undefined, cursor: string | null | undefined) {
  const from = Number(cursor ?? 0);
  if (!Number.isInteger(from) || from < 0) throw RequestError.invalidParams({ cursor }, `unknown cursor ${cursor}`);
  const all = await line.call<readonly ListedSessionJson[]>("session.list", { limit: MOST_LISTED }, { repeat: true });
  const fitting = all.filter((one) => PEOPLE.has(one.source) && (cwd == null || one.cwd === cwd));
  const sessions = fitting.slice(from, from + PAGE).map(toInfo);
  const nextCursor = fitting.length > from + PAGE ? { nextCursor: String(from + PAGE) } : {};
  return { sessions, ...nextCursor };
}

const PEOPLE: ReadonlySet<string> = new Set(["cli", "workspace", "inline", "acp"]);

const toInfo = ({ session_id, cwd, title, preview, last_active_at }: ListedSessionJson): SessionInfo => ({
  sessionId: session_id,
  cwd,
  title: title ?? (preview === "" ? null : preview),
  updatedAt: last_active_at,
});

async function set(conversation: Conversation, id: string, value: unknown) {
  const command = settingCommand(id, value);
  if (command === undefined)
    throw RequestError.invalidParams(
      { id, value },
      `no option ${JSON.stringify(id)} with value ${JSON.stringify(value)}`,
    );
  const { text, exit } = await conversation.command(command);
  if (exit !== 0) throw RequestError.invalidParams({ id, value }, text);
  return await conversation.refreshConfig();
}
