import { SEARCH_BACKENDS } from "../../../adapters/search/index.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Check } from "../../contracts/check.js";
import type { PluginProvider } from "../../contracts/plugins/context.js";
import type { SearchPlace } from "../../contracts/web/search.js";
import { blockListPath } from "../../runtime/site-rules.js";
import { BLOCKED_SITES, TRUST_PROXY } from "../../safety/config/keys.js";
import { envProxy } from "../../safety/net/env-proxy.js";
import { sharedNames } from "../../safety/net/site-lists.js";
import { chooseBackend } from "../../web/search/choose.js";
import { withPlugins } from "../../web/search/search.js";

type Needs = Pick<AppOptions, "config" | "home">;

/** The service that web searches go to, and what keeps the web from being reached. No findings on what is not set up; no requests are sent. */
export async function examineWeb(
  options: Needs,
  ofPlugins: readonly PluginProvider[],
  credentials?: SearchPlace["credentials"],
): Promise<readonly Check[]> {
  return [...(await searchCheck(options, ofPlugins, credentials)), ...listChecks(options), ...proxyChecks(options)];
}

async function searchCheck(
  { config }: Needs,
  ofPlugins: readonly PluginProvider[],
  credentials: SearchPlace["credentials"],
): Promise<readonly Check[]> {
  const all = withPlugins(SEARCH_BACKENDS, ofPlugins);
  const place = { config, env: config.env, ...(credentials === undefined ? {} : { credentials }) };
  const choice = await chooseBackend(all, place);
  const name = "web search";
  if ("unknown" in choice) {
    const detail = `${choice.by} names '${choice.unknown}', which is no search service`;
    return [{ name, status: "warn", detail, fix: `there are: ${all.map((one) => one.name).join(", ")}` }];
  }
  const { backend, by, lacks } = choice;
  if (lacks !== undefined)
    return [
      {
        name,
        status: "warn",
        detail: lacks,
        fix: `store the key, or set another service: agent config set ${by ?? ""} NAME`,
      },
    ];
  if (by === undefined && backend === SEARCH_BACKENDS.at(-1)) return [];
  return [{ name, status: "ok", detail: by === undefined ? backend.name : `${backend.name} (${by})` }];
}

function listChecks(options: Needs): readonly Check[] {
  const { config } = options;
  if (!config.get(BLOCKED_SITES.enabled)) return [];
  return config.get(BLOCKED_SITES.files).flatMap((file) => {
    const path = blockListPath(options, file);
    const names = sharedNames(path);
    if (!("unreadable" in names)) return [];
    const detail = `${path} cannot be read (${names.unreadable}): no page is reached until it can`;
    return [{ name: "block list", status: "fail", detail, fix: "correct security.website_blocklist.shared_files" }];
  });
}

function proxyChecks({ config }: Needs): readonly Check[] {
  if (!config.get(TRUST_PROXY)) return [];
  try {
    for (const scheme of ["http", "https"]) envProxy(config.env, new URL(`${scheme}://outside.invalid/`));
    return [];
  } catch (error) {
    return [{ name: "proxy", status: "fail", detail: error instanceof Error ? error.message : String(error) }];
  }
}
