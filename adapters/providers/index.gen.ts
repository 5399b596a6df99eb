// Written by `make index`. Do not edit.
export const PROVIDERS = [
  {
    id: "anthropic_messages",
    load: async () => (await import("./anthropic-messages.js")).default,
  },
  {
    id: "chat_completions",
    load: async () => (await import("./chat-completions.js")).default,
  },
  {
    id: "offline",
    load: async () => (await import("./offline.js")).default,
  },
  {
    id: "responses",
    load: async () => (await import("./responses.js")).default,
  },
] as const;
