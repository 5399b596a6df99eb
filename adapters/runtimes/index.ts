import type { RuntimeDefinition } from "../../lib/contracts/runtimes/runtime.js";

/** Programs that work turns in place of the loop, by their ids in settings. Each is loaded when it is used first. */
export const RUNTIMES: ReadonlyMap<string, () => Promise<RuntimeDefinition>> = new Map([
  ["app-server", async () => (await import("./app-server/app-server.js")).APP_SERVER],
  ["acp", async () => (await import("./acp/acp.js")).ACP],
]);
