import { once } from "../../base/async/lazy.js";

/**
 * The modules of a real connection. Loaded at the first request: a start without network pays for none of them (http 4 ms, https 7 ms more). Each is
 * asked for once: a bundle copies its members at every request.
 */
export const netModules = {
  http: once(() => import("node:http")),
  https: once(() => import("node:https")),
  tls: once(() => import("node:tls")),
  dns: once(() => import("node:dns/promises")),
  net: once(() => import("node:net")),
  zlib: once(() => import("node:zlib")),
};
