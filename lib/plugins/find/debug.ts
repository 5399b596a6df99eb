import type { Log } from "../../base/log/log.js";

export type DebugLevel = "INFO" | "WARNING" | "ERROR";

/** A line about finding and loading plugins: in the log at debug, and on standard error with `AGENT_PLUGINS_DEBUG`. */
export type PluginDebug = (level: DebugLevel, message: string) => void;

export function pluginDebug(
  env: Readonly<Record<string, string | undefined>>,
  log: Log,
  write: (line: string) => void,
): PluginDebug {
  const shown = isOn(env["AGENT_PLUGINS_DEBUG"]);
  return (level, message) => {
    log.debug(message, { level });
    if (shown) write(`[plugins] ${level} ${message}\n`);
  };
}

/** Whether a variable switches something on: `1`, `true`, `yes`, `on`. */
export const isOn = (value: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(value ?? "");
