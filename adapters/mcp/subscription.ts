import type { Client } from "@modelcontextprotocol/client";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { McpHooks } from "../../lib/contracts/mcp/connection.js";

const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 60_000;
const ACKNOWLEDGED_MS: Ms = 30_000;

/** What of a client listens. */
type Listening = Pick<Client, "getServerCapabilities" | "listen">;

/**
 * Listen for changed lists of a server of the newer era; a stream that breaks is asked for again, under a new id.
 *
 * @param wasRead the lists were read already: what changed between that and the server's consent to listen was not heard
 * @returns what stops it
 */
export function keepSubscribed(
  client: Listening,
  clock: Clock,
  { changed, say, wasRead }: Pick<McpHooks, "changed" | "say"> & { wasRead(): boolean },
): () => void {
  const offers = client.getServerCapabilities();
  const filter = {
    ...(offers?.tools?.listChanged === true ? { toolsListChanged: true as const } : {}),
    ...(offers?.resources?.listChanged === true ? { resourcesListChanged: true as const } : {}),
    ...(offers?.prompts?.listChanged === true ? { promptsListChanged: true as const } : {}),
  };
  if (Object.keys(filter).length === 0) return () => undefined;
  const stopping = new AbortController();
  const { signal } = stopping;
  const listen = async (): Promise<void> => {
    let wait = FIRST_WAIT_MS;
    while (!signal.aborted) {
      try {
        const subscription = await client.listen(filter, { timeout: ACKNOWLEDGED_MS, signal });
        wait = FIRST_WAIT_MS;
        if (wasRead()) changed();
        if ((await subscription.closed) === "local") return;
      } catch (error) {
        say("debug", `changes of its lists are not heard: ${error instanceof Error ? error.message : String(error)}`);
      }
      await clock.sleep(wait, signal).catch(() => undefined); // it is stopping
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  };
  listen().catch((error: unknown) => say("error", String(error)));
  return () => stopping.abort();
}
