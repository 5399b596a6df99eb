import type { NewSession } from "../contracts/chat/chat.js";
import type { PromptPart, PromptSize } from "../contracts/chat/prompt-size.js";
import type { ToolPlace } from "../tools/core/define.js";
import type { ConversationDeps } from "./conversation/conversation.js";
import { buildPrompt, promptBlocks } from "./prompt/prompt.js";
import { promptFacts } from "./prompt/prompt-facts.js";
import { selectTools } from "./prompt/tool-selection.js";
import { toTokens } from "./tokens/estimate.js";
import { toolSchemas } from "./tokens/schemas.js";

export interface PromptSizeDeps
  extends Pick<ConversationDeps, "home" | "config" | "tools" | "choose" | "summary" | "promptSources"> {
  readonly ports: Pick<ConversationDeps["ports"], "clock"> & ToolPlace["outside"];
}

/** Measure the first request that a session with these options would send, without its message. Nothing is kept. */
export async function measurePrompt(
  deps: PromptSizeDeps,
  options: NewSession,
  { boardTools, redact }: { readonly boardTools: ReadonlySet<string>; redact(text: string): string },
): Promise<PromptSize> {
  const { home, config, ports } = deps;
  const { cwd, env, model, provider, ignoreRules = false } = options;
  const choice = await deps.choose({
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
  });
  const place = { profile: options.profile ?? home.profile };
  await deps.tools.ready(new AbortController().signal);
  const audience = {
    place,
    named: options.toolsets ?? [],
    worker: false,
    env,
    home,
    window: choice.window,
    boardTools,
    outside: ports,
  };
  const { tools, notices: unknown } = await selectTools(deps.tools, config, audience);
  const subject = { ...place, source: options.source, choice, tools };
  const more = {
    ...(deps.summary === undefined ? {} : { summary: deps.summary }),
    ...(deps.promptSources === undefined ? {} : { sources: deps.promptSources }),
    ...(options.skills === undefined ? {} : { skills: options.skills }),
  };
  const { facts, notices } = await promptFacts(
    { home, config, clock: ports.clock, cwd, env, ignoreRules, redact, ...more },
    subject,
  );
  const schemas = toolSchemas(tools);
  const system = part("system prompt", buildPrompt(facts));
  const offered = part("tool schemas", schemas.length === 0 ? "" : JSON.stringify(schemas));
  return {
    model: choice.model,
    provider: choice.provider.id,
    blocks: promptBlocks(facts).map(({ name, tier, text }) => ({ ...part(name, text), tier })),
    tools: schemas.map((schema) => part(schema.name, JSON.stringify(schema))),
    system,
    schemas: offered,
    total: sum("total", system, offered),
    notices: [...unknown, ...notices.map(({ text }) => text)],
  };
}

const part = (name: string, text: string): PromptPart => ({
  name,
  chars: text.length,
  bytes: Buffer.byteLength(text),
  tokens: toTokens(text.length),
});

const sum = (name: string, a: PromptPart, b: PromptPart): PromptPart => ({
  name,
  chars: a.chars + b.chars,
  bytes: a.bytes + b.bytes,
  tokens: toTokens(a.chars + b.chars),
});
