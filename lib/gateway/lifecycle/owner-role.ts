import type { AppOptions } from "../../config/app-options.js";
import type { OwnerRole } from "../../contracts/gateway/life.js";

/** What the process of an owner was started as (gateway part, 3.1). */
export function roleOf({ kind, workspace, gateway, listens, reserved }: AppOptions): OwnerRole {
  if (kind !== "long" || listens === true || reserved === true) return "command";
  if (workspace === true) return "workspace";
  return gateway === true ? "gateway" : "headless";
}
