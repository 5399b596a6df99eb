import type { Setting } from "../../contracts/config/settings.js";

/** One setting; `*` marks one that is not the default. */
export const settingLine = (setting: Setting): string =>
  `${setting.source === "default" ? " " : "*"} ${setting.key}: ${renderValue(setting.value)}`;

/** A value on one line, as flow YAML. */
export function renderValue(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string")
    return /^[\w./:@ +-]+$/.test(value) && value.trim() === value ? value : JSON.stringify(value);
  return JSON.stringify(value);
}
