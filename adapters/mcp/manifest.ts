import { join } from "node:path";
import { makeDirectory, readText, removeFile, writeAtomic } from "../../lib/base/fs/files.js";
import { isRecord } from "../../lib/base/json/record.js";
import { sha256 } from "../../lib/base/text/hash.js";
import type { McpManifest, McpVerdict } from "../../lib/contracts/mcp/connection.js";
import type { McpEntry } from "../../lib/contracts/mcp/entry.js";
import type { McpParts } from "./parts.js";

/** How long a verdict about the revision holds (extensions part, 2). */
const VERDICT_MS = 7 * 24 * 3_600_000;
const FILE_CHARS = 32 << 20;

interface KeptVerdict {
  readonly key: string;
  readonly at: number;
  readonly verdict: McpVerdict;
}

interface Kept {
  readonly manifest?: McpManifest | undefined;
  readonly verdict?: KeptVerdict | undefined;
}

/** What is kept of servers in `cache/mcp`. A file that cannot be read counts as none. */
export interface Manifests {
  read(name: string, entry: McpEntry): Promise<McpManifest | undefined>;
  write(name: string, entry: McpEntry, manifest: Omit<McpManifest, "key">): Promise<void>;
  verdict(name: string, entry: McpEntry): Promise<McpVerdict | undefined>;
  /** @param verdict undefined: what was known is forgotten */
  decide(name: string, entry: McpEntry, verdict: McpVerdict | undefined): Promise<void>;
}

/** Of an entry, what decides which lists its server gives: filters, limits and approvals are applied to them here. */
const entryKey = ({ command, args, env, cwd, url, headers, transport, auth, oauth, roots }: McpEntry): string =>
  sha256(JSON.stringify([command, args, env, cwd, url, headers, transport, auth, oauth, roots]));
const commandKey = ({ command, args, url }: McpEntry): string => sha256(JSON.stringify([command, args, url]));

export function createManifests({ home, clock, log }: Pick<McpParts, "home" | "clock" | "log">): Manifests {
  const dir = join(home.cache, "mcp");
  const pathOf = (name: string): string => join(dir, `${name}.json`);
  let writing: Promise<void> = Promise.resolve();
  const load = async (name: string): Promise<Kept> => {
    const text = await readText(pathOf(name)).catch(() => undefined);
    return text === undefined || text.length > FILE_CHARS ? {} : keptIn(text);
  };
  /** One change after the other: two of them would lose what the first one wrote. */
  const change = (name: string, edit: (kept: Kept) => Kept): Promise<void> => {
    writing = writing
      .then(async () => {
        const kept = edit(await load(name));
        if (kept.manifest === undefined && kept.verdict === undefined) return removeFile(pathOf(name));
        await makeDirectory(dir, 0o700);
        await writeAtomic(pathOf(name), JSON.stringify(kept), 0o600, false);
      })
      .catch((error: unknown) =>
        log.warning("what is known of an MCP server was not kept", { name, error: String(error) }),
      );
    return writing;
  };
  return {
    read: async (name, entry) => {
      const { manifest } = await load(name);
      return manifest?.key === entryKey(entry) ? manifest : undefined;
    },
    write: (name, entry, manifest) =>
      change(name, (kept) => ({
        ...kept,
        manifest: { ...manifest, key: entryKey(entry) },
      })),
    verdict: async (name, entry) => {
      const { verdict } = await load(name);
      if (verdict?.key !== commandKey(entry)) return undefined;
      return clock.now() - verdict.at > VERDICT_MS ? undefined : verdict.verdict;
    },
    decide: (name, entry, verdict) =>
      change(name, ({ manifest }) => ({
        manifest,
        ...(verdict === undefined ? {} : { verdict: { key: commandKey(entry), at: clock.now(), verdict } }),
      })),
  };
}

/**
 * What a file holds, looked at by hand: this process or one before it wrote the file, and the first turn of a session waits for 20 of them. What is cut
 * off or of another form counts as nothing, and is made again.
 */
function keptIn(text: string): Kept {
  const kept = parseJson(text);
  if (!isRecord(kept)) return {};
  const { manifest, verdict } = kept;
  return {
    ...(isManifest(manifest) ? { manifest } : {}),
    ...(isVerdict(verdict) ? { verdict } : {}),
  };
}

function isManifest(value: unknown): value is McpManifest {
  if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["at"] !== "number") return false;
  const { lists, revision } = value;
  if (typeof revision !== "string" || !isRecord(lists) || !Array.isArray(lists["tools"])) return false;
  return lists["tools"].every(
    (tool: unknown) =>
      isRecord(tool) &&
      typeof tool["name"] === "string" &&
      typeof tool["description"] === "string" &&
      isRecord(tool["schema"]),
  );
}

function isVerdict(value: unknown): value is KeptVerdict {
  if (!isRecord(value) || typeof value["key"] !== "string" || typeof value["at"] !== "number") return false;
  const { verdict } = value;
  return isRecord(verdict) && (verdict["kind"] === "legacy" || verdict["kind"] === "modern");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {}; // cut off: it is made again
  }
}
