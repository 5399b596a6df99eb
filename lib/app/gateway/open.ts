import { lazily } from "../../base/lazy.js";
import type { GatewayApi } from "../../proto/gateway-api.js";
import type { App } from "../app.js";
import type { GatewayLife } from "./life.js";
import { createGatewayHost } from "./service.js";

/** The gateway of an owner. Nothing is connected yet. */
export function openGateway(app: App, stopOwner: () => void): GatewayLife {
  const host = createGatewayHost(app);
  return { host, api: lazily<GatewayApi>(async () => (await import("./api.js")).createGatewayApi(app, host, stopOwner)) };
}
