import { configKey } from "../config/config.js";

export const PLUGINS_ENABLED = configKey<readonly string[]>({
  key: "plugins.enabled",
  kind: { type: "strings" },
  default: [],
  help: "Enabled plugins, by key (name, or category/name). Other plugins are not loaded.",
});

export const PLUGINS_DISABLED = configKey<readonly string[]>({
  key: "plugins.disabled",
  kind: { type: "strings" },
  default: [],
  help: "Disabled plugins; overrides other settings.",
});

/** Settings of the plugins themselves, by key. */
const PLUGINS_CONFIG = configKey<unknown>({
  key: "plugins.config",
  kind: { type: "any" },
  default: undefined,
  help: "Settings of each plugin, by its key.",
});

export const PLUGIN_KEYS = [PLUGINS_ENABLED, PLUGINS_DISABLED, PLUGINS_CONFIG] as const;
