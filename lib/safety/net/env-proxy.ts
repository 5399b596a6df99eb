import { NetError, type ProxyAddress } from "../../base/net/net.js";
import { isAddress } from "./address.js";
import { inNetworks, isNetwork } from "./networks.js";
import { parseProxy } from "./tunnel.js";

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the variables of the environment name for this address: `HTTPS_PROXY` or `HTTP_PROXY` by its scheme, else `ALL_PROXY`, unless
 * `NO_PROXY` names its host. Lower case wins, as elsewhere. This machine is never reached through it.
 *
 * @throws NetError the variable holds no address of a proxy that can be used
 */
export function envProxy(env: Env, url: URL): ProxyAddress | undefined {
  const own = url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const found = [own, "ALL_PROXY"]
    .map((name) => [name, variable(env, name)] as const)
    .find(([, value]) => value !== "");
  if (found === undefined || goesDirect(env, url)) return undefined;
  const [name, value] = found;
  const proxy = parseProxy(value.includes("://") ? value : `http://${value}`);
  if (proxy !== undefined) return proxy;
  throw new NetError(
    "refused",
    `${name} is no address of a proxy that can be used: http://host:port or socks5://host:port (security.trust_proxy)`,
  );
}

const variable = (env: Env, name: string): string => (env[name.toLowerCase()] ?? env[name] ?? "").trim();

function goesDirect(env: Env, url: URL): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  if (host === "localhost" || host.endsWith(".localhost") || inNetworks(host, ["127.0.0.0/8", "::1"])) return true;
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return variable(env, "NO_PROXY")
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && names(entry, host, port));
}

/** `*`, a name with everything below it, an address, a network; each but a network with a port if it is about that alone. */
function names(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (isAddress(host)) {
    if (isNetwork(entry)) return inNetworks(host, [entry]);
    const [, inside, at] = /^\[?([\da-f.:]+?)\]?:(\d+)$/i.exec(entry) ?? [];
    return inside !== undefined && at === port && isNetwork(inside) && inNetworks(host, [inside]);
  }
  const [name = "", wanted] = entry.toLowerCase().split(":");
  const bare = name.replace(/^\*?\./, "").replace(/\.+$/, "");
  return bare !== "" && (wanted ?? port) === port && (host === bare || host.endsWith(`.${bare}`));
}
