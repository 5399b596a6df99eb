import type { ConfigKey } from "../../contracts/config/config.js";
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

/** A setting with what it does; `*` and its value if it is not the default. */
export function describeSetting(key: ConfigKey<unknown>, setting: Setting | undefined): string {
  const { type, choices, variable } = settingFacts(key);
  const kind = choices?.filter((choice) => choice !== "").join(", ") ?? (type === "any" ? "map or list" : type);
  const facts = [kind, `default ${defaultText(key)}`, ...(variable === undefined ? [] : [`variable ${variable}`])];
  const changed = setting !== undefined && setting.source !== "default";
  const head = `${changed ? "*" : " "} ${key.key} (${facts.join("; ")})`;
  const value = changed ? [`      set to ${renderValue(setting.value)} (${setting.source})`] : [];
  return [head, `      ${key.help}`, ...value].join("\n");
}

/** What a program wants to know about a setting, beside its value. */
export function settingFacts(key: ConfigKey<unknown>) {
  return {
    key: key.key,
    type: key.kind.type,
    ...(key.kind.type === "choice" ? { choices: key.kind.of } : {}),
    default: key.default,
    ...(key.env === undefined ? {} : { variable: key.env }),
    help: key.help,
  };
}

function defaultText({ default: value }: ConfigKey<unknown>): string {
  const empty =
    value === undefined ||
    value === "" ||
    (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return empty ? "unset" : renderValue(value);
}
