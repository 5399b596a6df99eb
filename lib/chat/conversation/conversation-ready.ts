import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { ContextNotice } from "../../tools/run/read.js";
import { buildPrompt, promptBlocks } from "../prompt/prompt.js";
import { promptFacts } from "../prompt/prompt-facts.js";
import { selectTools, type ToolSelection } from "../prompt/tool-selection.js";
import { modelForTurn } from "../sessions/session-model.js";
import { presentSkills, skillsIn } from "../sessions/session-skills.js";
import { switchedIn, takesNewPrompt } from "../sessions/session-tools.js";
import { toolSchemas } from "../tokens/schemas.js";
import { restorePlaceholders } from "../transcript/placeholders.js";
import { platformOf } from "./conversation-calls.js";
import type { ConversationDeps, ConversationInput, CurrentTurn } from "./conversation-types.js";
import { createPrefixLog } from "./prefix-log.js";

/** Who serves a conversation and what it is offered, found again for each turn, with the system prompt that describes it. */
export function readiness(deps: ConversationDeps, input: ConversationInput, now: CurrentTurn) {
  let choice: ModelChoice | undefined;
  let begun = false;
  const prefix = createPrefixLog(deps.log);
  const prepare = async (signal: AbortSignal) => {
    // A session waits for its tools once; what comes later is there from the next turn on.
    if (!begun) await deps.tools.ready(signal);
    begun = true;
    await restorePlaceholders(input.transcript, input.placeholders);
    const { wanted, ...thinking } = await modelForTurn(input.transcript, deps.config, input.wanted);
    choice = await deps.choose(wanted);
    const offer = await offerFor(deps, input, choice.window);
    now.offer = offer;
    const fresh = !hasPromptFor(input.transcript.session, choice); // the user learns about a choice once, not with every turn
    const renew = input.worker === undefined && (await takesNewPrompt(input.transcript));
    const prompt = await (renew ? newPrompt : systemPrompt)(deps, input, choice, offer.tools);
    prefix.sent(input.transcript.session, { model: choice.model, system: prompt.system, tools: offer.tools });
    return { choice, chosen: wanted.model, offer, fresh, thinking, ...prompt };
  };
  return {
    prepare,
    /** The system prompt of the segment that the transcript is in now. */
    rebuild: async () =>
      (await systemPrompt(deps, input, choice ?? (await deps.choose(input.wanted)), now.offer?.tools ?? [])).system,
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
    setting: async (signal: AbortSignal) => {
      const { choice: serves, offer: offered, system } = await prepare(signal);
      return { choice: serves, system, tools: toolSchemas(offered.tools) };
    },
  };
}

async function offerFor(
  { tools, config, home, ports }: ConversationDeps,
  input: ConversationInput,
  window: number,
): Promise<ToolSelection> {
  const { toolsets: named, env, boardTools, worker, children, recall, reach } = input;
  const programs = reach?.limits()?.programs ?? true;
  const withheld = (entry: ToolEntry) => {
    if (entry.toolset === "delegation" && children === undefined) return "this conversation cannot start children";
    if (entry.toolset === "session_search" && recall === undefined)
      return "this conversation cannot access earlier ones";
    if (!programs && isProgram(entry)) return NO_PROGRAMS;
    return input.withheld?.(entry);
  };
  const switched = worker === undefined ? { switched: await switchedIn(input.transcript) } : {}; // a worker has no typed input
  const { id, lineage_root, profile } = input.transcript.session;
  return selectTools(tools, config, {
    place: { session: id, lineage: lineage_root, profile },
    named,
    env,
    home,
    boardTools,
    window,
    outside: ports,
    withheld,
    ...switched,
    worker: worker !== undefined,
  });
}

/** Sets whose tools open whatever the account that they run in may open. */
const PROGRAMS: ReadonlySet<string> = new Set(["terminal", "code_execution"]);

/** What a server opens is not known here, whatever it says of its tools. */
const isProgram = ({ toolset, origin, risk }: ToolEntry): boolean =>
  PROGRAMS.has(toolset) || origin?.kind === "mcp" || (origin !== undefined && risk === "exec");

const NO_PROGRAMS = "not available to members of a chat; gateway.members_run_programs enables it";

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
  return await newPrompt(deps, input, choice, tools);
}

async function newPrompt(
  deps: ConversationDeps,
  input: ConversationInput,
  choice: ModelChoice,
  tools: readonly ToolEntry[],
): Promise<SystemPrompt> {
  const { session } = input.transcript;
  const { facts, notices } = await factsOf(deps, input, choice, tools);
  const system = buildPrompt(facts);
  await input.transcript.setSystemPrompt(system, choice.model, choice.provider.id);
  const news = session.relation === "compaction" ? [] : await newsOf(deps, input);
  deps.hooks?.tell("on_session_start", { session_id: session.id, model: choice.model, platform: platformOf(input) });
  return { system, notices: [...news, ...notices] };
}

/** What a person is shown as a conversation begins. */
async function newsOf(
  { promptSources = [] }: ConversationDeps,
  { worker, child, transcript }: ConversationInput,
): Promise<readonly ContextNotice[]> {
  if (worker !== undefined || child !== undefined || transcript.session.source === "cron") return [];
  const told: ContextNotice[] = [];
  for (const source of promptSources)
    for (const text of (await source.news?.()) ?? []) told.push({ level: "info", text });
  return told;
}

/** What a system prompt made now would say. */
async function factsOf(
  deps: ConversationDeps,
  input: ConversationInput,
  choice: ModelChoice,
  tools: readonly ToolEntry[],
) {
  const { session } = input.transcript;
  const { home, config, ports } = deps;
  const { cwd, env, redact, worker, child, boardSlug, ignoreRules = false } = input;
  const { skills, notices: gone } = await skillsFor(deps, input, session.source);
  const place = {
    home,
    config,
    clock: ports.clock,
    cwd,
    env,
    redact,
    ignoreRules,
    ...(worker === undefined ? {} : { worker }),
    ...(child === undefined ? {} : { child }),
    ...(deps.summary === undefined ? {} : { summary: deps.summary }),
    ...(deps.promptSources === undefined ? {} : { sources: deps.promptSources }),
    ...(boardSlug === undefined ? {} : { board: boardSlug }),
    ...(skills.length === 0 ? {} : { skills }),
    ...(input.reach?.limits() === undefined ? {} : { limited: true as const }),
  };
  const { facts, notices } = await promptFacts(place, {
    profile: session.profile,
    source: session.source,
    choice,
    tools,
  });
  return { facts: { ...facts, compacted: session.relation === "compaction" }, notices: [...notices, ...gone] };
}

/** Skills in the prompt: those that the conversation was started with, those of a worker its command line names. A child gets none. */
async function skillsFor(
  { ports }: ConversationDeps,
  { transcript, worker, child, skills = [], cwd, env, ignoreRules = false }: ConversationInput,
  source: string,
) {
  if (child !== undefined || ignoreRules) return { skills: [], notices: [] };
  const stored = worker === undefined ? await skillsIn(transcript) : [];
  return await presentSkills(ports.skills, [...new Set([...stored, ...skills])], { cwd, env, source });
}
