import { AppError } from "../../lib/base/errors.js";
import type { McpConnector } from "../../lib/contracts/mcp/connection.js";
import { createManifests } from "./manifest.js";
import type { McpParts } from "./parts.js";
import { createPrograms } from "./programs.js";
import { refusalOf } from "./refusal.js";

/** What speaks the protocol, for the pool. The client itself is loaded with the first connection, while a program starts. */
export function createMcpConnector(parts: McpParts): McpConnector {
  const manifests = createManifests(parts);
  const programs = createPrograms(parts);
  return {
    connect: async (connect) => {
      const { name, entry } = connect;
      const started = entry.url === undefined ? programs.start(name, entry) : undefined;
      started?.catch(() => undefined); // the connection reports it
      let first = started;
      const start = async () => {
        const mine = first ?? programs.start(name, entry);
        first = undefined;
        return mine;
      };
      const { connectServer } = await import("./connection.js");
      return connectServer({ parts, manifests, connect, ...(started === undefined ? {} : { start }) });
    },
    readManifest: manifests.read,
    writeManifest: manifests.write,
    sweep: programs.sweep,
    refusal: (entry) => refusalOf(entry, parts),
    login: async (name, entry, ask, signal) => {
      const { url } = entry;
      if (url === undefined)
        throw new AppError("E_STATE", `${name} is started as a program and has no login`, { hint: "agent mcp list" });
      const [{ logInToServer }, { guardedFetch }] = await Promise.all([
        import("./login/log-in.js"),
        import("./guarded-fetch.js"),
      ]);
      const place = { ...entry, url };
      await logInToServer({ name, entry: place, ask, signal, fetch: await guardedFetch(parts, place), parts });
    },
  };
}
