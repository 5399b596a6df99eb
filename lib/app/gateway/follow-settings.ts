import { toAppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { onPluginPlatforms, pluginGeneration } from "../../gateway/adapter/plugin-platforms.js";
import type { BuiltGateway } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { enabledPlatforms } from "./enabled-platforms.js";

/** Settings that are read whenever they are needed: a change of them leaves the connection alone. Without the tag. */
const READ_LATE = new RegExp(
  `^(?:${[
    "allowed_users",
    "allow_all_users",
    "allow_admin_from",
    "user_allowed_commands",
    "group_allow_admin_from",
    "group_user_allowed_commands",
    "home_channel.*",
    "gateway_restart_notification",
    "unauthorized_dm_behavior",
    "notice_delivery",
  ].join("|")})$`,
  "i",
);

/** What an adapter was made of: credentials, ports, addresses and everything else that it reads once. */
function madeOf(tag: string, { config }: Pick<AppOptions, "config">): string {
  const prefix = `${tag.toUpperCase()}_`;
  const named = Object.entries(config.env).filter(
    ([name]) => name.startsWith(prefix) && !READ_LATE.test(name.slice(prefix.length)),
  );
  const blocks = [tag, `platforms.${tag}`, `gateway.platforms.${tag}`].map((path) => withoutLate(config.raw(path)));
  return JSON.stringify([pluginGeneration(tag), named.toSorted(([a], [b]) => (a < b ? -1 : 1)), blocks]);
}

function withoutLate(block: unknown): unknown {
  if (typeof block !== "object" || block === null) return block ?? null;
  return Object.entries(block).filter(([key]) => !READ_LATE.test(key));
}

/** Follow the settings: an adapter whose own have changed is created again, and no other is touched. @returns stops following */
export function followSettings(options: AppOptions, built: BuiltGateway, first: readonly PlatformEntry[]): () => void {
  const log = options.log.child("gateway");
  let made = new Map(first.map(({ tag }) => [tag, madeOf(tag, options)] as const));
  let work: Promise<unknown> = Promise.resolve();
  const look = async () => {
    const { entries, problems } = enabledPlatforms(options);
    for (const problem of problems) log.error("failed to connect a platform", { problem });
    const wanted = new Map(entries.map((entry) => [entry.tag, { entry, of: madeOf(entry.tag, options) }] as const));
    const changed = [...new Set<PlatformTag>([...made.keys(), ...wanted.keys()])].filter(
      (tag) => made.get(tag) !== wanted.get(tag)?.of,
    );
    made = new Map([...wanted].map(([tag, { of }]) => [tag, of] as const));
    await Promise.all(changed.map((tag) => change(tag, wanted.get(tag)?.entry)));
  };
  const change = async (tag: PlatformTag, entry: PlatformEntry | undefined) => {
    try {
      await built.change(tag, entry);
      log.info(
        entry === undefined ? "a platform is no longer configured" : "reconnecting a platform: its settings changed",
        {
          tag,
        },
      );
    } catch (error) {
      log.error("changed settings of a platform are not in effect yet", { tag, error: toAppError(error).message });
    }
  };
  const follow = () => {
    work = work
      .then(look)
      .catch((error: unknown) =>
        log.error("changed settings are not in effect yet", { error: toAppError(error).message }),
      );
  };
  const stops = [options.config.onChange(follow), onPluginPlatforms(follow)];
  return () => {
    for (const stop of stops) stop();
  };
}
