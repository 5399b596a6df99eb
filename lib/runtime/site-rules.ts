import { resolve } from "node:path";
import type { Home } from "../base/home.js";
import { expandTilde } from "../base/tilde.js";
import type { LoadedConfig } from "../config/load-config.js";
import { BLOCKED_SITES } from "../safety/config/keys.js";
import { namesOf, onList, sharedNames } from "../safety/net/site-lists.js";
import { glob } from "../safety/paths/glob.js";
import { placeholders } from "../safety/redact/redact.js";
import { ruleFiles, rulesOfFile } from "../safety/rules/rules.js";
import { secretFinder } from "./known-secrets.js";

interface SiteOptions {
  readonly home: Home;
  readonly config: LoadedConfig;
}

/**
 * Why an address that a model, a page or a message named is not asked, whatever it resolves to (core part, 21.4): a host that the settings block or
 * a rule denies, or a secret in it. The network and the proxy of the browser ask at every hop.
 */
export function siteRefusal(options: SiteOptions): (url: URL) => Promise<string | undefined> {
  const find = secretFinder(options.config, options.home);
  return async (url) => {
    const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
    return blockedHost(options, host) ?? carriedSecret(find, url, host) ?? (await deniedHost(options, host));
  };
}

function blockedHost({ config, home }: SiteOptions, host: string): string | undefined {
  const { extraHosts, enabled, domains, files } = BLOCKED_SITES;
  const extra = onList(host, namesOf(config.get(extraHosts)));
  if (extra !== undefined) return `${host} is a blocked host (security.extra_blocked_hosts: ${extra})`;
  if (!config.get(enabled)) return undefined;
  const listed = onList(host, namesOf(config.get(domains)));
  if (listed !== undefined) return `${host} is on the block list (security.website_blocklist.domains: ${listed})`;
  for (const file of config.get(files)) {
    const path = blockListPath({ home, config }, file);
    const names = sharedNames(path);
    // A list that cannot be read blocks everything: the author of the setting wants it to apply.
    if ("unreadable" in names)
      return `the block list ${path} cannot be read (${names.unreadable}); correct security.website_blocklist.shared_files`;
    const found = onList(host, names);
    if (found !== undefined) return `${host} is on the block list ${path} (${found})`;
  }
  return undefined;
}

/** Where a shared list stands: `~` is the home of the user, other paths begin in that of the program. */
export const blockListPath = ({ home, config }: SiteOptions, file: string): string =>
  resolve(home.dir, expandTilde(file, config.env["HOME"] ?? home.dir));

function carriedSecret(find: (text: string) => string | undefined, url: URL, host: string): string | undefined {
  const plain = decoded(url.href);
  if (placeholders(plain).length > 0) return `the address for ${host} contains a placeholder of a secret; leave it out`;
  const secret = find(url.href) ?? find(plain);
  // A setting that looks like a secret by its name may hold nothing but this host.
  if (secret === undefined || host === secret || host.endsWith(`.${secret}`)) return undefined;
  return `the address contains a secret that this program holds, which would be sent to ${host}; leave it out`;
}

/** Text with its percent signs resolved as far as they can be. */
function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"));
}

/** Rules of the user that deny hosts. What else rules say is looked at where a conversation asks. */
async function deniedHost({ home }: SiteOptions, host: string): Promise<string | undefined> {
  const rules = await rulesOfFile(ruleFiles(home.dir, home.dir).user);
  const found = rules.find(
    ({ list, rule }) => list === "deny" && rule.kind === "fetch" && glob(rule.pattern, true).word(host),
  );
  return found === undefined
    ? undefined
    : `${host} is denied by the rule '${found.rule.text}' (agent permissions list numbers the rules)`;
}
