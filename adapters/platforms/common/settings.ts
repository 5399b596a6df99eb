import { AppError } from "../../../lib/base/errors.js";
import { ownEntry } from "../../../lib/base/json/record.js";
import type { PlatformSettings } from "../../../lib/gateway/settings/platform-settings.js";

/** What the settings of an adapter come to; `problem` names the setting and what to do. */
export type SettingsRead<S> = { readonly settings: S } | { readonly problem: string };

/** Read settings; the first that cannot be understood is the problem. */
export function readSettings<S>(read: () => S): SettingsRead<S> {
  try {
    return { settings: read() };
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFIG") return { problem: error.message };
    throw error;
  }
}

/** A setting that cannot be meant. @param message names it and what is wrong with it */
export const wrongSetting = (message: string) =>
  new AppError("E_CONFIG", message, { hint: "change it in .env or config.yaml" });

/** Name of an account, whatever else is wrong. @param find undefined or empty, or what cannot be read: `otherwise` */
export function accountNamed(find: () => string | undefined, otherwise = "unknown"): string {
  try {
    return find() || otherwise;
  } catch {
    return otherwise; // reading the settings says what is wrong
  }
}

/** One of several words, however it is written; the first of them when nothing is said. @throws E_CONFIG naming the setting */
export function oneOf<T extends string>(name: string, given: string | undefined, choices: readonly [T, ...T[]]): T {
  const said = given?.trim().toLowerCase() ?? "";
  const found = choices.find((one) => one === said);
  if (found === undefined && said !== "")
    throw wrongSetting(`${name} has to be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`);
  return found ?? choices[0];
}

const namesOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "");

/** Instructions of chats before anything else, and the skills that they have. */
export interface ChannelSettings {
  readonly prompts: Readonly<Record<string, string>>;
  readonly skills: Readonly<Record<string, readonly string[]>>;
}

/** Instructions and skills of the first of these keys, a thread before its chat. */
export const channelOf = ({ prompts, skills }: ChannelSettings, keys: readonly (string | null)[]) => ({
  channelPrompt: keys.map((key) => ownEntry(prompts, key ?? "")).find((one) => one !== undefined) ?? null,
  skills: keys.map((key) => ownEntry(skills, key ?? "")).find((one) => one !== undefined) ?? [],
});

/** @throws E_CONFIG naming the setting */
export const readChannels = (given: PlatformSettings): ChannelSettings => ({
  prompts: Object.fromEntries(Object.entries(given.map("CHANNEL_PROMPTS")).map(([chat, one]) => [chat, String(one)])),
  skills: Object.fromEntries(
    Object.entries(given.map("CHANNEL_SKILL_BINDINGS")).map(([chat, one]) => [chat, namesOf(one)]),
  ),
});
