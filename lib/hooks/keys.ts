import { configKey } from "../contracts/config/config.js";

export const HOOK_TIMEOUT = configKey<number>({
  key: "plugins.hook_timeout_seconds",
  kind: { type: "number", min: 0.1, max: 3_600 },
  default: 30,
  help: "Seconds a plugin's hook may take (default 30). A hook that guards tool calls or messages and takes longer blocks them.",
});

export const SHELL_HOOKS = configKey<unknown>({
  key: "hooks",
  kind: { type: "any" },
  default: {},
  help: "Programs that are called at hook points, by event: hooks.<event> is a list of {command, matcher, timeout, fail_open}.",
});

export const HOOKS_AUTO_ACCEPT = configKey<boolean>({
  key: "hooks_auto_accept",
  kind: { type: "boolean" },
  default: false,
  help: "Approve every configured hook by itself, also after its file changed.",
});

export const HOOK_KEYS = [HOOK_TIMEOUT, SHELL_HOOKS, HOOKS_AUTO_ACCEPT] as const;
