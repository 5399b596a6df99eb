import type { PlatformEntry } from "../../gateway/define.js";
import { platformSettings } from "../../gateway/settings.js";
import { createHooks } from "../../http/hooks.js";
import type { Inlet, PlatformTag } from "../../proto/gateway.js";
import type { Platform } from "../../proto/gateway-platform.js";
import type { AppOptions } from "../options.js";
import { enabledPlatforms, settingsSource } from "./enabled.js";

/** Makes adapters that receive nothing, to know their bot identity and to send; undefined: the platform is not enabled. */
export function createUnconnected(options: AppOptions): (tag: PlatformTag) => Promise<Platform | undefined> {
  return async (tag) => {
    const entry = enabledPlatforms(options).entries.find((one) => one.tag === tag);
    return entry && made(options, entry);
  };
}

async function made(options: AppOptions, entry: PlatformEntry): Promise<Platform> {
  const { clock, ids, net, log, home } = options;
  const { create } = await entry.load();
  const source = settingsSource(options);
  const hooks = createHooks({ clock, log: log.child("gateway") });
  const outside = { net, clock, ids, hooks, chance: Math.random, log: log.child(entry.tag), home: home.dir };
  return create({
    ...outside,
    settings: platformSettings(entry.tag, source),
    others: (prefix) => platformSettings(prefix, source),
    inlet: NOWHERE,
  });
}

/** Nothing is taken: the platform keeps what it has for the next gateway. */
const NOWHERE: Inlet = {
  accept: async () => "busy",
  acceptBatch: async () => ({ result: "busy" }),
  cursor: async () => undefined,
  connected: async () => ({ first: false, at: 0 }),
};
