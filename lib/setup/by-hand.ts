import type { SetupSection } from "../contracts/config/setup.js";

/** What to do where no one can be asked: commands and variables that do the same. */
export const BY_HAND: Readonly<Record<SetupSection, readonly string[]>> = {
  model: [
    "model: a server without a key",
    "  agent config set model.provider custom",
    "  agent config set model.base_url http://127.0.0.1:11434/v1",
    "  agent config set model.default MODEL",
    "model: a provider with a key (VENDOR_API_KEY, ANTHROPIC_API_KEY, ROUTER_API_KEY, SEARCH_VENDOR_API_KEY, REGIONAL_API_KEY)",
    "  put the variable into the environment, then run agent setup --non-interactive",
    "  or agent config set ROUTER_API_KEY KEY, and agent setup model --non-interactive",
    "model: a login instead of a key",
    "  agent auth add PROVIDER",
  ],
  tts: [
    "tts: who speaks answers, and who transcribes recordings",
    "  agent config set tts.provider openai",
    "  agent config set stt.provider openai",
    "  agent config set OPENAI_API_KEY KEY",
    "  agent help media lists the providers and what each needs",
  ],
  terminal: [
    "terminal: how commands are run",
    "  agent config set terminal.timeout 180",
    "  agent config set terminal.cwd .",
    "  agent config set terminal.auto_source_bashrc true",
  ],
  gateway: [
    "gateway: a messaging platform, by its variables in .env",
    "  agent config set MSGT_BOT_TOKEN TOKEN",
    "  agent config set MSGT_ALLOWED_USERS 42,43",
    "  agent gateway setup TAG shows the settings of a platform",
  ],
  tools: ["tools: tools offered to sessions", "  agent tools list", "  agent tools disable SET"],
  agent: [
    "agent: agent behavior",
    "  agent config set agent.max_turns 90",
    "  agent config set agent.reasoning_effort medium",
    "  agent config set approvals.mode manual",
    "  agent config set timezone Europe/Berlin",
  ],
};
