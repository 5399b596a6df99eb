// Written by `make index`. Do not edit.
export const PROVIDERS = [
  {
    id: "chat_completions",
    load: async () => (await import("./chat-completions.js")).default,
  },
  {
    id: "offline",
    load: async () => (await import("./offline.js")).default,
  },
] as const;
