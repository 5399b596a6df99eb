import type { GatewayEnd } from "../../contracts/gateway/life.js";
import type { GatewayLife } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { lazyGateway } from "../lazy/lazy-gateway.js";
import type { GatewayApp } from "./gateway-app.js";
import { createGatewayHost } from "./gateway-host.js";

/** The gateway of an owner. Nothing is connected yet. */
export function openGateway(app: GatewayApp, requestStop: (end: GatewayEnd) => void): GatewayLife {
  const host = createGatewayHost(app, requestStop);
  return {
    host,
    api: lazyGateway(async () => (await import("./gateway-api.js")).createGatewayApi(app, host, requestStop)),
  };
}
