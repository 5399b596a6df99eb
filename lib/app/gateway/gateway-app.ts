import type { Once } from "../../base/lazy.js";
import type { OwnerServices } from "../owner-services.js";
import type { Couriers } from "./courier.js";

/** What the gateway of an owner works with. */
export interface GatewayApp extends OwnerServices {
  readonly couriers: Once<Couriers>;
}
