/** The modules of a real connection. Loaded at the first request: a start without network pays for none of them (http 4 ms, https 7 ms more). */
export const netModules = {
  http: () => import("node:http"),
  https: () => import("node:https"),
  dns: () => import("node:dns/promises"),
  zlib: () => import("node:zlib"),
};
