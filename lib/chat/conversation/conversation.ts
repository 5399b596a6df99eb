import { allowManyListeners } from "../../base/async/aborted.js";
import type { TurnId } from "../../base/units.js";
import type { ShellLine } from "../../contracts/chat/chat.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import type { ToolContext } from "../../tools/core/define.js";
import { createGuardrails, guardrailSettings } from "../../tools/run/guardrails.js";
import { runPersonLine } from "../../tools/shell/person-line.js";
import { processesOf } from "../../tools/shell/registry.js";
import { newTurnFacts } from "../approvals/turn-facts.js";
import { COMPLETION_EXPLAINER, MAX_COST_USD, MAX_TURN_SECONDS, MAX_TURNS, MUTATION_VERIFIER } from "../config/keys.js";
import { type Expanded, expandMentions } from "../mentions/expand.js";
import { restorePlaceholders, savePlaceholders, withStoredPlaceholders } from "../transcript/placeholders.js";
import { begunBefore } from "../transcript/resume.js";
import { createToolState } from "../transcript/tool-state.js";
import { cacheTranscript } from "../transcript/transcript-cache.js";
import { createFailover } from "../turn/failover.js";
import { createFileWatch } from "../turn/file-watch.js";
import { runTurn } from "../turn/turn.js";
import type { TurnDeps } from "../turn/turn-types.js";
import { attachCompactor } from "./attach.js";
import { contextNow } from "./context.js";
import { contextOf, platformOf, processHooks, sinks, tellOfRules } from "./conversation-calls.js";
import { readiness } from "./conversation-ready.js";
import { conversationRuntimes } from "./conversation-runtime.js";
import type {
  Conversation,
  ConversationDeps,
  ConversationInput,
  CurrentTurn,
  TurnRequest,
} from "./conversation-types.js";
import { createShellLines, type ShellLines } from "./shell-lines.js";

export type {
  Conversation,
  ConversationDeps,
  ConversationInput,
  TurnRequest,
  WantedModel,
} from "./conversation-types.js";

/** Open a conversation over what is stored of it. Nothing runs before its first turn. */
export function openConversation(deps: ConversationDeps, given: ConversationInput): Conversation {
  const transcript = cacheTranscript(withStoredPlaceholders(given.transcript, given.placeholders));
  const files = createFileWatch({ ...given, transcript, clock: deps.ports.clock });
  const input = { ...given, transcript, permit: files.watching(given.permit) };
  const state = createToolState(input.cwd, input.transcript, input.resources);
  const now: CurrentTurn = { offer: undefined, turn: undefined, force: undefined, facts: newTurnFacts() };
  const ready = readiness(deps, input, now);
  const compactor = attachCompactor(deps, {
    transcript,
    state,
    redact: input.redact,
    live: input.live,
    rebuild: ready.rebuild,
  });
  const context = contextOf(deps, input, state, now);
  const lines = createShellLines(transcript, deps.log);
  const runtimes = conversationRuntimes(deps, input);
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
      transcript.replace(withStoredPlaceholders(next, given.placeholders));
      state.forget();
      compactor.changed();
    },
    compact: async (wish, signal) => compactor.manual(await ready.setting(signal), wish, signal),
    context: () => ready.look().then((look) => contextNow(compactor, transcript, look)),
    uncompact: async () => compactor.undo(await ready.setting(new AbortController().signal)),
    close: async () => {
      try {
        await runtimes.close();
      } finally {
        await state.close();
      }
    },
    shellLine: (command, { tell, signal }) =>
      runShellLine({ command, tell }, { given, lines, ctx: context("shell", signal) }),
    run: async (request, signal) => {
      allowManyListeners(signal, request.force); // of each call that runs
      now.force = request.force;
      now.facts = newTurnFacts((text) =>
        tellOfRules({ ...input, log: deps.log }, now.turn, { text, tell: request.onNotice }),
      );
      const waitedBefore = input.asker?.waited() ?? 0;
      const { choice, chosen, offer, fresh, thinking, system, notices } = await ready.prepare(signal);
      const runtime = await runtimes.of(choice.provider.id, chosen, request.force);
      const { tools, deferred } = offer;
      const compaction = compactor.forTurn(system, (text) => request.onNotice?.({ level: "info", text }));
      const turn: TurnDeps = {
        ...turnSettings(deps),
        transcript: input.transcript,
        choice,
        thinking,
        ...(runtime === undefined ? {} : { runtime }),
        failover: createFailover(choice, await deps.line?.(choice)),
        system,
        compaction,
        makeRoom: compaction.makeRoom,
        ask: deps.ask,
        ...turnHooks(deps, input),
        ...recollecting(deps, input),
        tools,
        deferred,
        context,
        files,
        directoryContext: input.ignoreRules !== true,
        ...picturesKept(deps, input),
        ...(request.onNotice === undefined ? {} : { onNotice: request.onNotice }),
        ...(input.spentUsd === undefined ? {} : { spentUsd: () => input.spentUsd?.() ?? Promise.resolve(0) }),
        ...(request.steer === undefined ? {} : { steer: request.steer }),
        ...(request.resumes === true ? { begun: begunBefore(await input.transcript.messages()) } : {}),
        ...sinks(deps, input),
        waited: () => (input.asker?.waited() ?? 0) - waitedBefore,
      };
      if (fresh) tellChoice(choice, input, request);
      const unknown = fresh ? offer.notices.map((text) => ({ level: "warning" as const, text })) : [];
      const pictured = await withPictures(deps, input, request);
      const said = await withMentioned(input, pictured, { ctx: context("mention", signal), window: choice.window });
      const waiting = request.news === true ? undefined : await lines.join(said.text);
      const onTurn = turnBegun(now, request, waiting);
      const told = {
        ...pictured,
        text: waiting?.text ?? said.text,
        onTurn,
        notices: [...unknown, ...notices, ...said.notices],
      };
      return runTurn({ ...turn, ...limitsOf(deps, request) }, told, signal);
    },
  };
}

/** What hooks learn of the place of a turn. */
function turnHooks({ hooks }: ConversationDeps, input: ConversationInput): Pick<TurnDeps, "hooks"> {
  if (hooks === undefined) return {};
  const task = input.board?.task ?? null;
  return { hooks: { bus: hooks, platform: platformOf(input), task, sender: input.origin?.user_id ?? null } };
}

/** The memory of a plugin is its owner's: chats of others and children get none of it. */
const recollecting = (
  { recollect }: ConversationDeps,
  { reach, child }: ConversationInput,
): Pick<TurnDeps, "recollect"> =>
  recollect === undefined || child !== undefined || reach?.limits() !== undefined ? {} : { recollect };

const picturesKept = (
  { keepPictures }: ConversationDeps,
  { transcript }: ConversationInput,
): Pick<TurnDeps, "keepPictures"> =>
  keepPictures === undefined ? {} : { keepPictures: (images) => keepPictures(images, transcript.session.lineage_root) };

/** Its message is stored. */
const turnBegun =
  (now: CurrentTurn, { onTurn }: Pick<TurnRequest, "onTurn">, waiting: { sent(): void } | undefined) =>
  (id: TurnId): void => {
    now.turn = id;
    waiting?.sent();
    onTurn?.(id);
  };

/** A line of a person, whose output shows no secret and waits for the next message when the model is to read it. */
async function runShellLine(
  { command, tell }: { readonly command: string; readonly tell: boolean },
  { given, lines, ctx }: { readonly given: ConversationInput; readonly lines: ShellLines; readonly ctx: ToolContext },
): Promise<ShellLine> {
  const { force: _ofATurn, ...own } = ctx;
  await restorePlaceholders(given.transcript, given.placeholders);
  const line = await runPersonLine(own, command);
  await savePlaceholders(given.transcript, given.placeholders);
  if (tell) await lines.keep(command, line);
  return line;
}

/** A one-shot has no screen that follows the conversation: its caller learns which server it has found by itself. */
function tellChoice(
  { notice: text, found }: ModelChoice,
  { live }: ConversationInput,
  { onNotice }: TurnRequest,
): void {
  if (text === undefined) return;
  live("notice", { level: "info", text });
  if (found === true) onNotice?.({ level: "info", text });
}

/** Pictures that the text mentions are the message's own before it is stored. */
async function withPictures(
  { pictured }: ConversationDeps,
  { transcript }: ConversationInput,
  request: TurnRequest,
): Promise<TurnRequest> {
  const found = await pictured?.(request.text, transcript.session.lineage_root);
  if (found === undefined || found.pictures.length === 0) return request;
  return { ...request, text: found.text, pictures: [...(request.pictures ?? []), ...found.pictures] };
}

/** What a user names stands behind the words. Chats, tasks and children speak with words that others may have put there: those stay words. */
function withMentioned(
  { origin, worker, child, lookups }: ConversationInput,
  { text, news }: TurnRequest,
  place: Parameters<typeof expandMentions>[1],
): Promise<Expanded> | Expanded {
  if (news === true || origin !== undefined || worker !== undefined || child !== undefined)
    return { text, notices: [] };
  return expandMentions(text, { ...place, ...(lookups === undefined ? {} : { lookups }) });
}

async function keepable({ transcript, placeholders, redact }: ConversationInput, text: string): Promise<string> {
  await restorePlaceholders(transcript, placeholders);
  const kept = redact(text.toWellFormed().replaceAll("\0", ""));
  await savePlaceholders(transcript, placeholders);
  return kept;
}

/** What this turn may use, where its request says otherwise than the settings. */
function limitsOf(
  { config }: ConversationDeps,
  { maxTurns, maxCostUsd }: TurnRequest,
): Pick<TurnDeps, "maxRounds" | "maxCostUsd"> {
  const most = maxCostUsd ?? config.get(MAX_COST_USD);
  return { maxRounds: maxTurns ?? config.get(MAX_TURNS), ...(most === undefined ? {} : { maxCostUsd: most }) };
}

function turnSettings({ config, ports, log }: ConversationDeps) {
  return {
    clock: ports.clock,
    log: log.child("agent"),
    guard: createGuardrails(guardrailSettings(config)),
    maxRounds: config.get(MAX_TURNS),
    maxMs: config.get(MAX_TURN_SECONDS) * 1000,
    verifyMutations: config.get(MUTATION_VERIFIER),
    explainCompletion: config.get(COMPLETION_EXPLAINER),
  };
}
