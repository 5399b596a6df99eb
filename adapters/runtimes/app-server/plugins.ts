import { toAppError } from "../../../lib/base/errors.js";
import { isRecord, jsonOf } from "../../../lib/base/json/record.js";
import type { Spawner } from "../../../lib/base/process/spawn.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";

/** Ids of plugins of the app-server, `name@marketplace`, or why they could not be listed. */
export type Plugins = readonly string[] | { readonly problem: string };

interface Parts {
  readonly spawner: Spawner;
  readonly clock: Pick<Clock, "after">;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** Name and version for the program. */
  readonly version: string;
}

/** To start, to be initialized, and to list. */
const ANSWER_MS: Ms = 18_000;
const GRACE_MS: Ms = 2_000;
/** Longest answer that is read. */
const MAX_CHARS = 8 << 20;

const INITIALIZE = 1;
const LIST = 2;

/** The plugins that are installed and available (extensions part, 8.10). Starts the program for it; never throws for what it does. */
export async function listPlugins(path: string, parts: Parts, signal: AbortSignal): Promise<Plugins> {
  const { spawner, clock, env, version } = parts;
  signal.throwIfAborted();
  try {
    const child = await spawner.spawn({
      file: path,
      args: ["app-server"],
      cwd: "/",
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
      endsWithOwner: true,
    });
    const send = (message: object) => child.write(`${JSON.stringify(message)}\n`);
    const ends = new AbortController();
    const answer = new Promise<Plugins>((resolve) => {
      const lines = lineReader((line) => {
        const message = jsonOf(line);
        if (!isRecord(message) || "method" in message) return;
        if ("error" in message) resolve({ problem: problemOf(message["error"]) });
        else if (message["id"] === LIST) resolve(installed(message["result"]));
        else if (message["id"] === INITIALIZE) {
          send({ method: "initialized", params: {} });
          send({ id: LIST, method: "plugin/list", params: {} });
        }
      });
      child.onOutput((chunk) => {
        if (!lines(chunk)) resolve({ problem: "its answer is too long" });
      });
      const stop = clock.after(ANSWER_MS, () => resolve({ problem: `no answer within ${ANSWER_MS / 1_000} s` }));
      ends.signal.addEventListener("abort", stop, { once: true });
      signal.addEventListener("abort", () => resolve({ problem: "interrupted" }), { once: true, signal: ends.signal });
      void child.closed.then(() => resolve({ problem: "the app-server ended before it answered" }));
    });
    const clientInfo = { name: "agent", title: "Agent", version };
    send({ id: INITIALIZE, method: "initialize", params: { clientInfo, capabilities: { experimentalApi: true } } });
    const found = await answer;
    ends.abort();
    child.closeInput();
    await spawner.endGroup(child.pid, GRACE_MS);
    return found;
  } catch (error) {
    return { problem: toAppError(error).message };
  }
}

/** Hands on whole lines. False: what came without a line end is too long. */
function lineReader(take: (line: string) => void): (chunk: Buffer) => boolean {
  const decoder = new TextDecoder();
  let rest = "";
  return (chunk) => {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    lines.forEach(take);
    return rest.length <= MAX_CHARS;
  };
}

const problemOf = (error: unknown): string =>
  isRecord(error) && typeof error["message"] === "string" ? error["message"] : "it answered with an error";

function installed(result: unknown): Plugins {
  if (!isRecord(result) || !Array.isArray(result["marketplaces"])) return { problem: "its answer has no marketplaces" };
  return result["marketplaces"].flatMap((marketplace: unknown) => {
    if (!isRecord(marketplace) || !Array.isArray(marketplace["plugins"])) return [];
    return marketplace["plugins"].flatMap((plugin: unknown) => {
      if (!isRecord(plugin) || plugin["installed"] !== true) return [];
      const { name, availability = "AVAILABLE" } = plugin;
      const isThere = availability === "AVAILABLE" || availability === "ENABLED";
      return isThere && typeof name === "string" ? [`${name}@${String(marketplace["name"])}`] : [];
    });
  });
}
