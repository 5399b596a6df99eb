import type { Store } from "../../../storage/store.js";
import { readCursor } from "../../../storage/tables/gateway/accounts.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inlet, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { sendOnlyInlet } from "../../gateway/delivery/send-once.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { createHooks } from "../../http/hooks.js";
import { enabledPlatforms } from "./enabled-platforms.js";

/** Makes adapters that receive nothing, to know their bot identity and to send; undefined: the platform is not enabled. */
export function createUnconnected(
  options: AppOptions,
  store: Store,
): (tag: PlatformTag) => Promise<Platform | undefined> {
  const inlet = sendOnlyInlet((account, name) => store.read((q) => readCursor(q, account, name)));
  return async (tag) => {
    const entry = enabledPlatforms(options).entries.find((one) => one.tag === tag);
    return entry && made(options, entry, inlet);
  };
}

async function made(options: AppOptions, entry: PlatformEntry, inlet: Inlet): Promise<Platform> {
  const { clock, ids, net, log, home } = options;
  const { create } = await entry.load();
  const source = settingsSource(options);
  const hooks = createHooks({ clock, log: log.child("gateway") });
  const outside = { net, clock, ids, hooks, chance: Math.random, log: log.child(entry.tag), home: home.dir };
  return create({
    ...outside,
    settings: platformSettings(entry.tag, source),
    others: (prefix) => platformSettings(prefix, source),
    inlet,
  });
}
