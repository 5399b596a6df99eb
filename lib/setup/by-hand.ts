import type { SetupSection } from "../contracts/config/setup.js";

/** What to do where no one can be asked: commands and variables that do the same. */
export const BY_HAND: Readonly<Record<SetupSection, readonly string[]>> = {
  model: [
    "model: a server that needs no key",
    "  agent config set model.provider custom",
    "  agent config set model.base_url http://127.0.0.1:11434/v1",
    "  agent config set model.default MODEL",
    "model: a provider with a key (VENDOR_API_KEY, ANTHROPIC_API_KEY, ROUTER_API_KEY, SEARCH_VENDOR_API_KEY, REGIONAL_API_KEY)",
    "  put the variable into the environment, then run agent setup --non-interactive",
    "  or agent config set ROUTER_API_KEY KEY, and agent setup model --non-interactive",
    "model: a login in place of a key",
    "  agent auth add PROVIDER",
  ],
  terminal: [
    "terminal: how the agent's commands run",
    "  agent config set terminal.timeout 180",
    "  agent config set terminal.cwd .",
    "  agent config set terminal.auto_source_bashrc true",
  ],
  gateway: [
    "gateway: a messaging platform, by its variables in .env",
    "  agent config set MSGT_BOT_TOKEN TOKEN",
    "  agent config set MSGT_ALLOWED_USERS 42,43",
    "  agent gateway setup TAG says what each platform needs",
  ],
  tools: ["tools: what sessions are offered", "  agent tools list", "  agent tools disable SET"],
  agent: [
    "agent: how it works",
    "  agent config set agent.max_turns 90",
    "  agent config set agent.reasoning_effort medium",
    "  agent config set approvals.mode manual",
    "  agent config set timezone Europe/Berlin",
  ],
};
