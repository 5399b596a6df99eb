import { PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";
import type { HomeChannel } from "../../contracts/gateway/targets.js";
import { platformSettings, type SettingsSource } from "../settings/platform-settings.js";
import { parseAddress } from "./addresses.js";

/** The home channel of a platform: its variables, else `home_channel` of its block; undefined when none is set. @throws E_CONFIG */
export function homeOf(platform: PlatformTag, source: SettingsSource): HomeChannel | undefined {
  const settings = platformSettings(platform, source);
  const block = source.env[variable(platform)] ? undefined : blockOf(platform, source);
  const chat = block === undefined ? settings.text("HOME_CHANNEL") : textOf(block["chat_id"]);
  if (chat === undefined || chat === "") return undefined;
  const thread = block === undefined ? settings.text("HOME_CHANNEL_THREAD_ID") : textOf(block["thread_id"]);
  const name = block === undefined ? settings.text("HOME_CHANNEL_NAME") : textOf(block["name"]);
  const address = parseAddress(platform, chat) ?? { chatId: chat, threadId: null };
  return { platform, chatId: address.chatId, threadId: thread ?? address.threadId, name: name ?? "Home" };
}

/** Every home channel that is set, by tag. @throws E_CONFIG */
export function readHomeChannels(source: SettingsSource): readonly HomeChannel[] {
  return [...PLATFORM_TAGS].sort().flatMap((tag) => homeOf(tag, source) ?? []);
}

/** Likewise without those whose settings cannot be read: errors of one platform do not keep others from being notified. */
export function readableHomes(source: SettingsSource): readonly HomeChannel[] {
  return [...PLATFORM_TAGS].sort().flatMap((tag) => {
    try {
      return homeOf(tag, source) ?? [];
    } catch {
      return []; // a sender there gets the error
    }
  });
}

/** Name of the variable that holds a home channel. */
export const variable = (platform: string): string => `${platform.toUpperCase()}_HOME_CHANNEL`;

function blockOf(platform: PlatformTag, { raw }: SettingsSource): Readonly<Record<string, unknown>> | undefined {
  for (const block of [platform, `platforms.${platform}`, `gateway.platforms.${platform}`]) {
    const value = raw(`${block}.home_channel`);
    if (typeof value === "object" && value !== null) return { ...value };
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value))
    ? String(value)
    : undefined;
}
