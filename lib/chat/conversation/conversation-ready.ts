import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { ModelChoice } from "../../contracts/models/model.js";
import type { ToolEntry } from "../../tools/core/entry.js";
import type { ContextNotice } from "../../tools/run/read.js";
import { type Offer, offerTools } from "../prompt/offer.js";
import { buildPrompt, promptBlocks } from "../prompt/prompt.js";
import { promptFacts } from "../prompt/prompt-facts.js";
import { modelForTurn } from "../sessions/session-model.js";
import { switchedIn } from "../sessions/session-tools.js";
import { toolSchemas } from "../tokens/schemas.js";
import { restorePlaceholders } from "../transcript/placeholders.js";
import type { ConversationDeps, ConversationInput, Now } from "./conversation-types.js";

/** Who serves a conversation and what it is offered, found anew for each turn, with the system prompt that tells of it. */
export function readiness(deps: ConversationDeps, input: ConversationInput, now: Now) {
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
    setting: async () => {
      const { choice: serves, offer: offered, system } = await prepare();
      return { choice: serves, system, tools: toolSchemas(offered.tools) };
    },
  };
}

async function offerFor(
  { tools, config, home }: ConversationDeps,
  input: ConversationInput,
  window: number,
): Promise<Offer> {
  const { toolsets: named, env, boardTools, worker, children, recall, reach } = input;
  const programs = reach?.limits()?.programs ?? true;
  const withheld = (entry: Pick<ToolEntry, "name" | "toolset">) => {
    if (entry.toolset === "delegation" && children === undefined) return "this conversation cannot send children";
    if (entry.toolset === "session_search" && recall === undefined)
      return "this conversation cannot reach earlier ones";
    if (!programs && PROGRAMS.has(entry.toolset)) return NO_PROGRAMS;
    return input.withheld?.(entry);
  };
  const switched = worker === undefined ? { switched: await switchedIn(input.transcript) } : {}; // nobody types in a worker
  return offerTools(tools, config, {
    named,
    env,
    home,
    boardTools,
    window,
    withheld,
    ...switched,
    worker: worker !== undefined,
  });
}

/** Sets whose tools open whatever the account that they run in may open. */
const PROGRAMS: ReadonlySet<string> = new Set(["terminal", "code_execution"]);
const NO_PROGRAMS = "it works for a member of a chat; gateway.members_run_programs offers it";

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
async function factsOf(
  deps: ConversationDeps,
  input: ConversationInput,
  choice: ModelChoice,
  tools: readonly ToolEntry[],
) {
  const { session } = input.transcript;
  const { home, config, ports } = deps;
  const { cwd, env, redact, worker, child, ignoreRules = false } = input;
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
  };
  const { facts, notices } = await promptFacts(place, {
    profile: session.profile,
    source: session.source,
    choice,
    tools,
  });
  return { facts: { ...facts, compacted: session.relation === "compaction" }, notices };
}
