// Written by `make index`. Do not edit.
/** The providers that can be loaded: wire protocols, and the built-in one. */
export const PROVIDER_IDS = ["anthropic_messages", "chat_completions", "offline", "responses"] as const;
