import { configKey } from "../../contracts/config/config.js";

export const PLUGINS_ENABLED = configKey<readonly string[]>({
  key: "plugins.enabled",
  kind: { type: "strings" },
  default: [],
  help: "Plugins that run, by their key (name, or category/name). Nothing of any other one is ever loaded.",
});

export const PLUGINS_DISABLED = configKey<readonly string[]>({
  key: "plugins.disabled",
  kind: { type: "strings" },
  default: [],
  help: "Plugins that do not run, whatever else is set.",
});

export const PLUGIN_KEYS = [PLUGINS_ENABLED, PLUGINS_DISABLED] as const;
