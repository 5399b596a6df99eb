import { PLATFORM_TAGS } from "../proto/gateway.js";
import type { ToolPlace } from "./define.js";

/** Whether anything is said about a messaging platform. Without one, tools for chats would be offered to everybody for nothing. */
export function hasPlatform({ env, config }: ToolPlace): boolean {
  const names = Object.keys(env);
  const set = PLATFORM_TAGS.some((tag) => names.some((name) => name.startsWith(`${tag.toUpperCase()}_`)) || config.raw(tag) !== undefined);
  return set || config.raw("platforms") !== undefined || config.raw("gateway.platforms") !== undefined;
}
