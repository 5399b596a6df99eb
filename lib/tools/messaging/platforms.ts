import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { ToolPlace } from "../core/define.js";

/** Whether a messaging platform is configured, in the environment, `.env` or config.yaml. Tools for chats are offered only then. */
export function hasPlatform({ config }: Pick<ToolPlace, "config">): boolean {
  const set = PLATFORM_TAGS.some((tag) => config.hasVariable(`${tag.toUpperCase()}_`) || config.raw(tag) !== undefined);
  return set || config.raw("platforms") !== undefined || config.raw("gateway.platforms") !== undefined;
}
