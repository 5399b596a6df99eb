// size: everything that an open conversation is made of is put together here
import { join } from "node:path";
import type { Home } from "../base/home.js";
import type { Log } from "../base/log.js";
import type { TurnId } from "../base/units.js";
import type { AuxClient } from "../proto/auxiliary.js";
import type { SessionRecord, Transcript, TurnResult } from "../proto/chat.js";
import type { CompactionEnded, CompactionUndone } from "../proto/chat-compact.js";
import type { QueueNotice } from "../proto/chat-queue.js";
import type { ContextReport } from "../proto/chat-usage.js";
import type { CheckpointTaker } from "../proto/checkpoints.js";
import type { Config } from "../proto/config.js";
import type { ChatMessage, ModelChoice } from "../proto/model.js";
import type { ModelLine } from "../proto/model-line.js";
import type { RecallPort } from "../proto/recall.js";
import type { Lineage, RedactStream, Resolved } from "../safety/redact.js";
import type { BoardPort } from "../tools/board-port.js";
import type { ContextNotice } from "../tools/context/read.js";
import type { Permission, PermissionAnswer, ToolPorts } from "../tools/define.js";
import type { ChildrenPort } from "../tools/delegate/port.js";
import type { ToolEntry } from "../tools/entry.js";
import { createGuardrails, guardrailSettings } from "../tools/guardrails.js";
import { type ProcessHooks, processesOf } from "../tools/process/registry.js";
import type { CallPlace } from "./approvals/call.js";
import { approvalContext } from "./approvals/context.js";
import { newTurnFacts } from "./approvals/turn-facts.js";
import { attachCompactor } from "./compact/attach.js";
import type { ManualWish } from "./compact/compactor.js";
import { contextNow } from "./compact/context.js";
import type { Summariser } from "./compact/summary.js";
import { createFileWatch } from "./file-watch.js";
import { MAX_COST_USD, MAX_TURN_SECONDS, MAX_TURNS, MUTATION_VERIFIER } from "./keys.js";
import type { Steered } from "./lanes/steer.js";
import type { LastingEntries } from "./lasting.js";
import { type Offer, offerTools } from "./offer.js";
import { restorePlaceholders, savePlaceholders, withPlaceholders } from "./placeholders.js";
import { buildPrompt, promptBlocks } from "./prompt.js";
import { promptFacts } from "./prompt-facts.js";
import type { Asker } from "./questions/asker.js";
import { rememberingTranscript } from "./remembered.js";
import { toolSchemas } from "./schemas.js";
import { createServing } from "./serving.js";
import { modelForTurn } from "./session-model.js";
import { switchedIn } from "./session-tools.js";
import { type ConversationTools, createToolState } from "./tool-state.js";
import { runTurn } from "./turn.js";
import type { AskModel, TurnDeps } from "./turn-types.js";

/** A model as somebody asked for it; what is left out is as configured. */
export interface WantedModel {
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  /** Empty: none, whatever the configuration has. */
  readonly apiKey?: string;
}

/** What every conversation of a process shares. */
export interface ConversationDeps {
  readonly home: Home;
  readonly ports: ToolPorts;
  readonly config: Config;
  readonly log: Log;
  /** @throws E_MODEL when no provider can serve what is wanted */
  choose(wanted: WantedModel): Promise<ModelChoice>;
  readonly ask: AskModel;
  /** Who takes over when the chosen model fails; absent: nobody. */
  line?(choice: ModelChoice): Promise<ModelLine>;
  readonly tools: readonly ToolEntry[];
  /** Side work of models; absent: the model of the conversation does it. */
  readonly side?: AuxClient["ask"];
  /** Writes the summaries of all conversations of the process; absent: each has its own. */
  readonly summariser?: Summariser;
  /** What a directory of code looks like at this moment, for the system prompt. */
  summary?(cwd: string, env: Readonly<Record<string, string>>): Promise<string>;
}

/** What is particular to one conversation. */
export interface ConversationInput {
  readonly transcript: Transcript;
  /** Directory that relative paths and the first command start in. */
  readonly cwd: string;
  /** Environment of the front end, unfiltered. In memory only. */
  readonly env: Readonly<Record<string, string>>;
  readonly wanted: WantedModel;
  /** Empty: `toolsets` of the settings. */
  readonly toolsets: readonly string[];
  readonly boardTools: ReadonlySet<string>;
  readonly board?: BoardPort;
  /** Earlier conversations; absent where they cannot be reached. */
  readonly recall?: RecallPort;
  /** Known cost of the whole lineage in USD. */
  spentUsd?(): Promise<number>;
  /** Guidance for a board worker, put into the system prompt. */
  readonly worker?: string;
  /** What a child is told in place of the identity; it gets no standing instructions in its prompt. */
  readonly child?: string;
  /** Outlives the conversation: its background processes. Absent: they end with it. */
  readonly lasting?: LastingEntries;
  /** Puts a notice of something that has ended into the queue. */
  readonly notice?: QueueNotice;
  /** Why a tool is not for this conversation. */
  readonly withheld?: (entry: Pick<ToolEntry, "name" | "toolset">) => string | undefined;
  /** Sends other conversations to work; absent where that is not possible. */
  readonly children?: ChildrenPort;
  /** Leave out SOUL.md and the standing instructions of project and directories. */
  readonly ignoreRules?: boolean;
  /** Rejects when the call is interrupted while it waits for an answer. */
  permit(permission: Permission, call: CallPlace): Promise<PermissionAnswer>;
  /** The way to its user; absent: it has none. */
  readonly asker?: Asker;
  redact(text: string): string;
  redactStream(): RedactStream;
  /** What stands for its secrets. */
  readonly placeholders: Lineage;
  /** Puts the true values in the place of placeholders, for what is run or written. What is stored and shown keeps them. */
  reveal(text: string): Resolved;
  live(event: string, data: Readonly<Record<string, unknown>>): void;
  /** Who keeps the state of directories before they are changed, while that is wanted. */
  checkpoints?(): CheckpointTaker | undefined;
}

export interface TurnRequest {
  readonly text: string;
  /** Names the request of a client that asked for the turn. */
  readonly request?: string;
  /** Item of the queue that it was; it leaves the queue with the commit that stores the message. */
  readonly item?: string;
  /** Messages for the wire only, behind the message. */
  readonly wireOnly?: readonly ChatMessage[];
  readonly maxTurns?: number;
  readonly maxCostUsd?: number;
  /** Words of the user that come while it runs. */
  readonly steer?: Steered;
  /** Aborts when nothing may be waited for any more: what runs is killed at once. */
  readonly force?: AbortSignal;
  readonly onTurn?: (turn: TurnId) => void;
  /** What the user should know of files that this turn uses; they are events of the turn as well. */
  readonly onNotice?: (notice: ContextNotice) => void;
}

/** One conversation that is open in this process: its tools keep their state between turns. The caller runs one turn at a time. */
export interface Conversation {
  run(request: TurnRequest, signal: AbortSignal): Promise<TurnResult>;
  readonly cwd: string;
  /** Somebody else has changed the stored conversation: go on with what is there now. */
  follow(transcript: Transcript): void;
  /** As its turns have left it: they give it a prompt and counters, and compaction another segment. */
  readonly session: SessionRecord;
  /** A text of the user as it may be stored beside the turns; its placeholders are stored already. */
  keepable(text: string): Promise<string>;
  /** Compaction that the user asks for, while no turn runs. @throws E_STATE when there is too little to compact */
  compact(wish: ManualWish, signal: AbortSignal): Promise<CompactionEnded>;
  /** What fills its next request. Changes nothing, beside whatever runs. */
  context(): Promise<Omit<ContextReport, "last_request">>;
  /** @throws E_STATE when there is none to undo, or the conversation would not fit its window any more */
  uncompact(): Promise<CompactionUndone>;
  /** Ends background processes of its tools. Harmless twice. */
  close(): Promise<void>;
}

export function openConversation(deps: ConversationDeps, given: ConversationInput): Conversation {
  const transcript = rememberingTranscript(withPlaceholders(given.transcript, given.placeholders));
  const files = createFileWatch({ ...given, transcript, clock: deps.ports.clock });
  const input = { ...given, transcript, permit: files.watching(given.permit) };
  const state = createToolState(input.cwd, input.transcript, input.lasting);
  const now: Now = { offer: undefined, turn: undefined, force: undefined, facts: newTurnFacts() };
  const ready = readiness(deps, input, now);
  const compactor = attachCompactor(deps, { transcript, state, redact: input.redact, live: input.live, rebuild: ready.rebuild });
  const context = contextOf(deps, input, state, now);
  processesOf(state, deps.ports.spawner).hooks = processHooks(deps, input, () => now.turn);
  return {
    get cwd() {
      return state.cwd;
    },
    get session() {
      return input.transcript.session;
    },
    keepable: (text) => keepable(given, text),
    follow: (next) => {
      transcript.replace(withPlaceholders(next, given.placeholders));
      state.forget();
      compactor.changed();
    },
    compact: async (wish, signal) => compactor.manual(await ready.setting(), wish, signal),
    context: () => ready.look().then((look) => contextNow(compactor, transcript, look)),
    uncompact: async () => compactor.undo(await ready.setting()),
    close: () => state.close(),
    run: async (request, signal) => {
      now.force = request.force;
      now.facts = newTurnFacts((text) => tellOfRules({ ...input, log: deps.log }, now.turn, { text, tell: request.onNotice }));
      const waitedBefore = input.asker?.waited() ?? 0;
      const { choice, offer, fresh, thinking, system, notices } = await ready.prepare();
      const { tools, deferred } = offer;
      const compaction = compactor.forTurn(system, (text) => request.onNotice?.({ level: "info", text }));
      const turn: TurnDeps = {
        ...turnSettings(deps),
        transcript: input.transcript,
        choice,
        thinking,
        serving: createServing(choice, await deps.line?.(choice)),
        system,
        compaction,
        makeRoom: compaction.makeRoom,
        ask: deps.ask,
        ...{ tools, deferred },
        context,
        files,
        directoryContext: input.ignoreRules !== true,
        ...(request.onNotice === undefined ? {} : { onNotice: request.onNotice }),
        ...(input.spentUsd === undefined ? {} : { spentUsd: () => input.spentUsd?.() ?? Promise.resolve(0) }),
        ...(request.steer === undefined ? {} : { steer: request.steer }),
        ...sinks(deps, input),
        waited: () => (input.asker?.waited() ?? 0) - waitedBefore,
      };
      if (fresh && choice.notice !== undefined) input.live("notice", { level: "info", text: choice.notice });
      const unknown = fresh ? offer.notices.map((text) => ({ level: "warning" as const, text })) : [];
      const onTurn = (id: TurnId) => {
        now.turn = id;
        request.onTurn?.(id);
      };
      const told = { ...request, onTurn, notices: [...unknown, ...notices] };
      return runTurn({ ...turn, ...limitsOf(deps, request) }, told, signal);
    },
  };
}

/** What holds for the turn that runs. */
interface Now {
  offer: Offer | undefined;
  turn: TurnId | undefined;
  force: AbortSignal | undefined;
  facts: ReturnType<typeof newTurnFacts>;
}

/** What each call of a tool may use. */
function contextOf(deps: ConversationDeps, input: ConversationInput, state: ConversationTools, now: Now): TurnDeps["context"] {
  const { env, redact, redactStream, reveal, board, children, recall } = input;
  return (callId, signal) => ({
    callId,
    session: input.transcript.session.id,
    turn: now.turn,
    home: deps.home,
    state,
    ports: deps.ports,
    config: deps.config,
    log: deps.log.child("tools"),
    ...{ env, signal, redact, redactStream, reveal },
    ...approvalContext({ ...input, config: deps.config }, { callId, signal, facts: now.facts, turn: () => now.turn, cwd: () => state.cwd }),
    progress: (text) => input.live("tool.progress", { call_id: callId, text }),
    resultDir: sinks(deps, input).resultDir,
    ...(now.force === undefined ? {} : { force: now.force }),
    ...(board === undefined ? {} : { board }),
    ...(recall === undefined ? {} : { recall }),
    ...(children === undefined ? {} : { children }),
    offered: [...(now.offer?.tools ?? []), ...(now.offer?.deferred ?? [])].map((entry) => entry.name),
    ...(now.offer === undefined || now.offer.deferred.length === 0 ? {} : { deferred: now.offer.deferred }),
  });
}

/** A rule file that cannot be read, or one that is not trusted: an event of the turn, and a word to whoever runs it. */
function tellOfRules(
  { transcript, log }: Pick<ConversationInput, "transcript"> & { readonly log: Log },
  turn: TurnId | undefined,
  { text, tell }: { readonly text: string; readonly tell: TurnRequest["onNotice"] },
): void {
  tell?.({ level: "warning", text });
  if (turn === undefined) return;
  transcript
    .event(turn, "notice", { level: "warning", code: "permissions", text })
    .catch((error: unknown) => log.warning("a notice was not stored", { error: String(error) }));
}

async function keepable({ transcript, placeholders, redact }: ConversationInput, text: string): Promise<string> {
  await restorePlaceholders(transcript, placeholders);
  const kept = redact(text.toWellFormed().replaceAll("\0", ""));
  await savePlaceholders(transcript, placeholders);
  return kept;
}

/** Who serves a conversation and what it is offered, found anew for each turn, with the system prompt that tells of it. */
function readiness(deps: ConversationDeps, input: ConversationInput, now: Now) {
  let choice: ModelChoice | undefined;
  const prepare = async () => {
    await restorePlaceholders(input.transcript, input.placeholders);
    const { wanted, ...thinking } = await modelForTurn(input.transcript, deps.config, input.wanted);
    choice = await deps.choose(wanted);
    const offer = await offerFor(deps, input, choice.window);
    now.offer = offer;
    const fresh = !hasPromptFor(input.transcript.session, choice); // the user learns about a choice once, not with every turn
    return { choice, offer, fresh, thinking, ...(await systemPrompt(deps, input, choice, offer.tools)) };
  };
  return {
    prepare,
    /** The system prompt of the segment that the transcript is in now. */
    rebuild: async () => (await systemPrompt(deps, input, choice ?? (await deps.choose(input.wanted)), now.offer?.tools ?? [])).system,
    /** The next request as it would be made now; nothing is stored for it. */
    look: async () => {
      const { wanted } = await modelForTurn(input.transcript, deps.config, input.wanted);
      const serves = await deps.choose(wanted);
      const { tools } = await offerFor(deps, input, serves.window);
      const { facts } = await factsOf(deps, input, serves, tools);
      const { session } = input.transcript;
      const system = hasPromptFor(session, serves) ? (session.system_prompt ?? "") : buildPrompt(facts);
      return { choice: serves, tools, system, blocks: promptBlocks(facts) };
    },
    /** What the next request is made of, besides its messages. */
    setting: async () => {
      const { choice: serves, offer: offered, system } = await prepare();
      return { choice: serves, system, tools: toolSchemas(offered.tools) };
    },
  };
}

/** What this turn may use, where its request says otherwise than the settings. */
function limitsOf({ config }: ConversationDeps, { maxTurns, maxCostUsd }: TurnRequest): Pick<TurnDeps, "maxRounds" | "maxCostUsd"> {
  const most = maxCostUsd ?? config.get(MAX_COST_USD);
  return { maxRounds: maxTurns ?? config.get(MAX_TURNS), ...(most === undefined ? {} : { maxCostUsd: most }) };
}

/** What background processes tell goes to the conversation as it is open now. */
function processHooks(
  deps: ConversationDeps,
  { redact, transcript, notice }: ConversationInput,
  turn: () => TurnId | undefined,
): ProcessHooks {
  const log = deps.log.child("tools");
  const late = (what: string) => (error: unknown) =>
    log.warning(`${what} of a background process could not be told`, { error: String(error) });
  return {
    redact,
    notify: (text, by) => {
      notice?.(transcript.session.id, { text, by }).catch(late("the end"));
    },
    told: (event, data) => {
      const id = turn();
      if (id !== undefined) transcript.event(id, event, data).catch(late("an event"));
    },
  };
}

async function offerFor({ tools, config }: ConversationDeps, input: ConversationInput, window: number): Promise<Offer> {
  const { toolsets: named, env, boardTools, worker, children, recall } = input;
  const withheld = (entry: Pick<ToolEntry, "name" | "toolset">) => {
    if (entry.toolset === "delegation" && children === undefined) return "this conversation cannot send children";
    if (entry.toolset === "session_search" && recall === undefined) return "this conversation cannot reach earlier ones";
    return input.withheld?.(entry);
  };
  const switched = worker === undefined ? { switched: await switchedIn(input.transcript) } : {}; // nobody types in a worker
  return offerTools(tools, config, { named, env, boardTools, window, withheld, ...switched, worker: worker !== undefined });
}

function turnSettings({ config, ports, log }: ConversationDeps) {
  return {
    clock: ports.clock,
    log: log.child("agent"),
    guard: createGuardrails(guardrailSettings(config)),
    maxRounds: config.get(MAX_TURNS),
    maxMs: config.get(MAX_TURN_SECONDS) * 1000,
    verifyMutations: config.get(MUTATION_VERIFIER),
  };
}

function sinks(deps: ConversationDeps, input: ConversationInput) {
  return {
    live: input.live,
    redact: input.redact,
    redactStream: input.redactStream,
    resultDir: join(deps.home.cache, "results", input.transcript.session.lineage_root),
  };
}

const hasPromptFor = (session: SessionRecord, choice: ModelChoice): boolean =>
  session.model === choice.model && session.provider === choice.provider.id && Boolean(session.system_prompt);

interface SystemPrompt {
  readonly system: string;
  readonly notices: readonly ContextNotice[];
}

/** The stored prompt while model and provider are the same, else a new one, stored before it is used (core part, 2.1 step 8). */
async function systemPrompt(
  deps: ConversationDeps,
  input: ConversationInput,
  choice: ModelChoice,
  tools: readonly ToolEntry[],
): Promise<SystemPrompt> {
  const { session } = input.transcript;
  if (hasPromptFor(session, choice) && session.system_prompt) return { system: session.system_prompt, notices: [] };
  const { facts, notices } = await factsOf(deps, input, choice, tools);
  const system = buildPrompt(facts);
  await input.transcript.setSystemPrompt(system, choice.model, choice.provider.id);
  return { system, notices };
}

/** What a system prompt made now would say. */
async function factsOf(deps: ConversationDeps, input: ConversationInput, choice: ModelChoice, tools: readonly ToolEntry[]) {
  const { session } = input.transcript;
  const { home, config, ports } = deps;
  const { cwd, env, redact, worker, child, ignoreRules = false } = input;
  const place = {
    ...{ home, config, clock: ports.clock, cwd, env, redact, ignoreRules },
    ...(worker === undefined ? {} : { worker }),
    ...(child === undefined ? {} : { child }),
    ...(deps.summary === undefined ? {} : { summary: deps.summary }),
  };
  const { facts, notices } = await promptFacts(place, { profile: session.profile, source: session.source, choice, tools });
  return { facts: { ...facts, compacted: session.relation === "compaction" }, notices };
}
