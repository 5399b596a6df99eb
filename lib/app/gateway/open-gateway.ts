import { lazily } from "../../base/async/lazy.js";
import type { GatewayApi } from "../../contracts/gateway/api.js";
import type { GatewayEnd } from "../../contracts/gateway/life.js";
import type { GatewayLife } from "../../gateway/lifecycle/gateway-lifecycle.js";
import type { GatewayApp } from "./gateway-app.js";
import { createGatewayHost } from "./gateway-host.js";

/** The gateway of an owner. Nothing is connected yet. */
export function openGateway(app: GatewayApp, requestStop: (end: GatewayEnd) => void): GatewayLife {
  const host = createGatewayHost(app, requestStop);
  return {
    host,
    api: lazily<GatewayApi>(async () => (await import("./gateway-api.js")).createGatewayApi(app, host, requestStop)),
  };
}
