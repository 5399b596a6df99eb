import { lazily } from "../../base/lazy.js";
import type { GatewayApi } from "../../proto/gateway-api.js";
import type { GatewayEnd } from "../../proto/gateway-life.js";
import type { GatewayApp } from "./gateway-app.js";
import type { GatewayLife } from "./life.js";
import { createGatewayHost } from "./service.js";

/** The gateway of an owner. Nothing is connected yet. */
export function openGateway(app: GatewayApp, requestStop: (end: GatewayEnd) => void): GatewayLife {
  const host = createGatewayHost(app, requestStop);
  return { host, api: lazily<GatewayApi>(async () => (await import("./api.js")).createGatewayApi(app, host, requestStop)) };
}
