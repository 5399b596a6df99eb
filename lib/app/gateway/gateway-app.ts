import type { Once } from "../../base/async/lazy.js";
import type { OwnerServices } from "../../rpc/commands/owner-services.js";
import type { Couriers } from "./build-courier.js";

/** What the gateway of an owner works with. */
export interface GatewayApp extends OwnerServices {
  readonly couriers: Once<Couriers>;
}
