import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { McpConnection, McpConnector, McpLists, McpManifest } from "../../contracts/mcp/connection.js";
import type { McpEntry } from "../../contracts/mcp/entry.js";

/** A manifest holds this long at most, and where its server says nothing (extensions part, 2.6). */
const MANIFEST_MS: Ms = 24 * 3_600_000;
/** Servers report one change several times; the lists are read when they have been silent for this long. */
const SETTLE_MS: Ms = 200;

/** What the lists of one server are read and written with. */
export interface ServerListsParts {
  readonly name: string;
  readonly entry: McpEntry;
  readonly clock: Clock;
  readonly log: Log;
  readonly door: Pick<McpConnector, "readManifest" | "writeManifest">;
  /** The server serves one session: what is known for later processes is written by the shared one. */
  readonly ofSession?: true;
  /** The tools are others than before, or are known for the first time. */
  listed(lists: McpLists, before: McpLists | undefined): void;
  /** Aborts when the server is stopped. */
  readonly stopping: AbortSignal;
}

/** What is known of a server's tools, resources and prompts: written down by an earlier process, or read from a connection. */
export interface ServerLists {
  current(): McpLists | undefined;
  /** Revision of the protocol that the server spoke when they were read. */
  revision(): string | undefined;
  /** Take what an earlier process has written down, unless lists are known already. */
  recall(): Promise<"fresh" | "stale" | "missing">;
  /** Read them and write them down. @throws McpFailure */
  read(connection: McpConnection): Promise<void>;
  /** The server reports a change: they are read again shortly after the last report, from what is connected then. */
  changed(connected: () => McpConnection | undefined): void;
  /** The connection is gone: what it has reported is no longer read. */
  cancel(): void;
}

/** Lists of one connection that are being read. */
interface Reading {
  readonly from: McpConnection;
  /** They changed meanwhile. */
  isStale: boolean;
}

/** Nothing is known yet. */
export function createServerLists(parts: ServerListsParts): ServerLists {
  const { name, entry, clock, log, door, stopping } = parts;
  let known: McpLists | undefined;
  let revision: string | undefined;
  let reading: Reading | undefined;
  let cancelReading = (): void => undefined;

  /** One reading at a time: of two that overlap, the older answer could come last. What changes meanwhile is read afterwards. */
  const read = async (from: McpConnection, isFirst: boolean): Promise<void> => {
    const mine: Reading = { from, isStale: false };
    reading = mine;
    try {
      await take(mine);
    } catch (error) {
      // Its caller closes a connection whose first reading fails. Any other stays open, and the change is still to be read.
      if (end(mine) && mine.isStale && !isFirst) readAgain(from);
      throw error;
    }
    if (end(mine) && mine.isStale) readAgain(from);
  };
  /** @returns whether it is the latest reading still */
  const end = (mine: Reading): boolean => {
    if (reading !== mine) return false;
    reading = undefined;
    return true;
  };
  const take = async (mine: Reading): Promise<void> => {
    const lists = await mine.from.lists(entry.connect_timeout * 1000, stopping);
    if (reading !== mine) return; // those of the next connection are read by now
    const before = known;
    known = lists;
    revision = mine.from.revision;
    if (parts.ofSession !== true) await door.writeManifest(name, entry, { at: clock.now(), lists, revision });
    parts.listed(lists, before);
  };
  const readAgain = (from: McpConnection): void => {
    read(from, false).catch((error: unknown) =>
      log.warning("the changed tools of an MCP server were not read", { server: name, error: String(error) }),
    );
  };

  return {
    current: () => known,
    revision: () => revision,
    recall: async () => {
      const manifest = await door.readManifest(name, entry);
      if (manifest === undefined) return "missing";
      if (known === undefined) {
        known = manifest.lists;
        revision = manifest.revision;
        parts.listed(manifest.lists, undefined);
      }
      return isFresh(manifest, clock.now()) ? "fresh" : "stale";
    },
    read: (connection) => read(connection, true),
    changed: (connected) => {
      cancelReading();
      cancelReading = clock.after(SETTLE_MS, () => {
        const connection = connected();
        if (reading !== undefined) reading.isStale = true;
        else if (connection !== undefined) readAgain(connection);
      });
    },
    cancel: () => cancelReading(),
  };
}

const isFresh = ({ at, lists }: McpManifest, now: EpochMs): boolean =>
  now - at < Math.min(lists.ttl_ms ?? MANIFEST_MS, MANIFEST_MS);
