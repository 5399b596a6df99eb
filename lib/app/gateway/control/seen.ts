import { PLATFORMS } from "../../../../adapters/platforms/index.gen.js";
import type { GatewayDepth, GatewaySeen } from "../../../proto/gateway-control.js";
import { settingsSource } from "../enabled.js";
import { driftOf } from "../units/manager.js";
import { lastLines, logOf } from "./launch.js";
import { packageVersions } from "./packages.js";
import { looking, type Place, statusAt } from "./place.js";
import { managerAt } from "./units.js";

const LOG_LINES = 50;
const LOG_BYTES = 64 << 10;
const BASES = /^(?:MSG[A-Z]+)_(?:[A-Z]+_)*(?:BASE|BASE_URL|CDN_BASE_URL|DOMAIN)$/;

/** The status of a place with what only an outsider sees. */
export async function seenAt(place: Place, { deep, system }: { readonly deep: boolean; readonly system: boolean }): Promise<GatewaySeen> {
  const status = await statusAt(place);
  const manager = await managerAt(place, { system });
  const service = manager === undefined ? null : await manager.state();
  if (!deep) return { ...status, service };
  const depth: GatewayDepth = {
    unit_drift: manager === undefined ? [] : driftOf(manager),
    base_addresses: await basesOf(place),
    packages: packageVersions(),
    log: lastLines(logOf(place.home), LOG_LINES, LOG_BYTES),
  };
  return { ...status, service, deep: depth };
}

/** Addresses that settings name, without what could be secret in them. */
const basesOf = (place: Place): Promise<Readonly<Record<string, string>>> =>
  looking(place, async ({ options }) => {
    const { env } = settingsSource(options);
    const named = Object.entries(env).flatMap(([name, value]) =>
      value && BASES.test(name) ? [[name, withoutSecrets(value)] as const] : [],
    );
    return Object.fromEntries([...named, ...PLATFORMS.flatMap(({ tag }) => fromBlocks(tag, options.config.raw))]);
  });

function fromBlocks(tag: string, raw: (path: string) => unknown): readonly (readonly [string, string])[] {
  return ["api_base", "base_url", "domain"].flatMap((key) =>
    [`${tag}.${key}`, `platforms.${tag}.${key}`, `gateway.platforms.${tag}.${key}`].flatMap((path) => {
      const value = raw(path);
      return typeof value === "string" ? [[path, withoutSecrets(value)] as const] : [];
    }),
  );
}

function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href.replace(/\/$/, "");
}
