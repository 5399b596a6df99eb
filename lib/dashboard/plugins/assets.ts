import { join, normalize } from "node:path";
import { readAtMostSync, realPath } from "../../base/fs/files.js";
import type { EndpointReply } from "../../http/endpoint.js";
import { notFound } from "../../http/reply.js";
import { isBelow } from "../../safety/paths/paths.js";
import { PAGE_FILE_MAX, PAGE_HEADERS, PAGE_TYPES, pageReply } from "./page-files.js";

/** Where files of plugins are served: `/dashboard-plugins/<name>/<path>`. */
export const PLUGIN_FILES = "/dashboard-plugins/";

const FORBIDDEN: EndpointReply = {
  status: 403,
  json: { detail: "this path is outside the plugin's dashboard directory", code: "E_FORBIDDEN" },
  headers: PAGE_HEADERS,
};

/** Pages do not belong to a plugin's files: what it shows, it puts into the present page. */
const SERVED = new Set(Object.keys(PAGE_TYPES).filter((suffix) => suffix !== "html"));

/**
 * A file of a plugin.
 *
 * @param hidden file that runs in the owner and is not for browsers
 */
export async function pluginFile(
  dir: string,
  path: string,
  hidden: string | null,
  known: string | undefined,
): Promise<EndpointReply> {
  const inner = decoded(path);
  if (inner === undefined || inner === "") return notFound(path);
  const wanted = normalize(join(dir, inner));
  if (!isBelow(wanted, dir)) return FORBIDDEN;
  const suffix = /\.([a-z0-9]+)$/i.exec(inner)?.[1]?.toLowerCase() ?? "";
  const type = PAGE_TYPES[suffix];
  const real = await realPath(wanted);
  const root = await realPath(dir);
  if (real === undefined || root === undefined) return notFound(path);
  if (!isBelow(real, root)) return FORBIDDEN;
  if (type === undefined || !SERVED.has(suffix) || (hidden !== null && real === (await realPath(join(dir, hidden)))))
    return notFound(path);
  const bytes = readAtMostSync(real, PAGE_FILE_MAX);
  return bytes === undefined ? notFound(path) : pageReply(bytes, type, known);
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path);
    return /[\0\\]/.test(text) ? undefined : text;
  } catch {
    return undefined; // no file is named so
  }
}
