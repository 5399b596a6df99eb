import type { GatewayDepth, GatewaySeen } from "../../contracts/gateway/control.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { driftOf } from "../../gateway/units/unit-manager.js";
import { enabledPlatforms } from "../gateway/enabled-platforms.js";
import { lookAtHome, type ProfilePlace, statusAt } from "../process/gateway-place.js";
import { lastLines, logOf } from "../process/launch-owner.js";
import { managerAt } from "./gateway-units.js";
import { packageVersions } from "./package-versions.js";

const LOG_LINES = 50;
const LOG_BYTES = 64 << 10;

/** The status of a place with what only an outsider sees. */
export async function inspectGateway(
  place: ProfilePlace,
  { deep, system }: { readonly deep: boolean; readonly system: boolean },
): Promise<GatewaySeen> {
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

/** Where the platforms that are set up are asked, without what could be secret in it. */
const basesOf = (place: ProfilePlace): Promise<Readonly<Record<string, string>>> =>
  lookAtHome(place, async ({ options }) => {
    const source = settingsSource(options);
    const settings = (tag: string) => platformSettings(tag, source);
    const found = await Promise.all(
      enabledPlatforms(options).entries.map(async ({ tag, load }) =>
        Object.entries((await load()).addresses?.({ settings: settings(tag), others: settings }) ?? {}),
      ),
    );
    return Object.fromEntries(found.flat().map(([name, address]) => [name, withoutSecrets(address)]));
  });

function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  url.search = "";
  return url.href.replace(/\/$/, "");
}
