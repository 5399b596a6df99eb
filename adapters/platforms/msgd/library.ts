import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";

/** What is used of the library: its REST client, and the one connection that its gateway is made of, which a package of its own gives out, installed along with it. */
export type Library = Pick<typeof import("discord.js"), "REST" | "RequestMethod"> &
  Pick<typeof import("@discordjs/ws"), "WebSocketShard" | "WebSocketShardEvents" | "WebSocketShardDestroyRecovery">;

/** Gives the library, or throws when it is not installed. */
export type LoadLibrary = () => Promise<Library>;

const VERSION = "14.28.1";

export const loadLibrary: LoadLibrary = async () => {
  const { REST, RequestMethod } = await import("discord.js");
  const { WebSocketShard, WebSocketShardEvents, WebSocketShardDestroyRecovery } = await import("@discordjs/ws");
  return { REST, RequestMethod, WebSocketShard, WebSocketShardEvents, WebSocketShardDestroyRecovery };
};

/** Load it when it is needed; what cannot be loaded is said with what to do. */
export async function libraryOf(load: LoadLibrary): Promise<{ readonly library: Library } | AdapterFault> {
  try {
    return { library: await load() };
  } catch {
    const message = `MSGD needs the package discord.js ${VERSION}, which is not installed: npm install discord.js@${VERSION}`;
    return { code: "sdk_missing", message };
  }
}
