import { type GitAddress, readGitAddress } from "./address.js";
import type { GitCall, GitChange } from "./calls.js";
import type { GitSetting } from "./repository.js";

/** Addresses of the remotes of a repository, by name; changes of a line that is being read show in it. */
export type Remotes = Map<string, { readonly fetch: readonly string[]; readonly push: readonly string[] }>;

const valuesOf = (settings: readonly GitSetting[], key: string) =>
  settings.filter((one) => one.key === key).map((one) => one.value);

/** The remotes that the settings name, `url.*.insteadOf` applied as git does. */
export function readRemotes(settings: readonly GitSetting[]): Remotes {
  const remotes: Remotes = new Map();
  for (const { key } of settings) {
    const name = /^remote\.(.+)\.(?:push)?url$/.exec(key)?.[1];
    if (name === undefined || remotes.has(name)) continue;
    const urls = valuesOf(settings, `remote.${name}.url`);
    const push = valuesOf(settings, `remote.${name}.pushurl`);
    remotes.set(name, {
      fetch: urls.map((url) => rewrite(url, settings, "insteadof")),
      push:
        push.length > 0
          ? push.map((url) => rewrite(url, settings, "insteadof"))
          : urls.map((url) => rewritePush(url, settings)),
    });
  }
  return remotes;
}

function rewrite(url: string, settings: readonly GitSetting[], key: "insteadof" | "pushinsteadof"): string {
  const fits = settings.flatMap(({ key: full, value }) => {
    const base = new RegExp(`^url\\.(.*)\\.${key}$`, "s").exec(full)?.[1];
    return base !== undefined && value !== "" && url.startsWith(value) ? [{ base, value }] : [];
  });
  const longest = fits.sort((a, b) => b.value.length - a.value.length)[0];
  return longest === undefined ? url : `${longest.base}${url.slice(longest.value.length)}`;
}

function rewritePush(url: string, settings: readonly GitSetting[]): string {
  const pushed = rewrite(url, settings, "pushinsteadof");
  return pushed === url ? rewrite(url, settings, "insteadof") : pushed;
}

/** What the line has changed when its next call runs. */
export function applyToRemotes(remotes: Remotes, change: GitChange): void {
  if (!("remote" in change)) return;
  const known = remotes.get(change.remote);
  if (change.what === "add-remote" || change.what === "set-url")
    remotes.set(change.remote, { fetch: [change.url], push: [change.url] });
  if (change.what === "remove-remote" || change.what === "rename-remote") remotes.delete(change.remote);
  if (change.what === "rename-remote" && known !== undefined) remotes.set(change.to, known);
}

/** Addresses that a call speaks to, or why they are not those of a remote of the repository. */
export function findAddresses(
  call: Extract<GitCall, { kind: "network" }>,
  remotes: Remotes,
  place: {
    readonly settings: readonly GitSetting[];
    readonly branch: string | undefined;
    readonly cwd: string;
    readonly top: string;
  },
): readonly GitAddress[] | string {
  const pushes = call.verb === "push";
  if (call.verb === "clone" || (call.verb === "ls-remote" && call.remote !== "" && !remotes.has(call.remote))) {
    const address = readGitAddress(rewrite(call.remote, place.settings, "insteadof"), place.cwd);
    return address === undefined ? `'${call.remote}' is not an ordinary address` : [address];
  }
  const name = call.remote === "" ? defaultRemote(remotes, place, pushes) : call.remote;
  const chosen =
    name === "*"
      ? [...remotes.values()]
      : [...remotes].filter(([key, urls]) => key === name || urls.fetch.includes(name)).map(([, urls]) => urls);
  if (chosen.length === 0) return `'${name}' is not a remote of the repository`;
  const addresses: GitAddress[] = [];
  for (const text of chosen.flatMap((urls) => (pushes ? urls.push : urls.fetch))) {
    const address = readGitAddress(text, place.top);
    if (address === undefined) return `the address of the remote '${name}' is not an ordinary one`;
    addresses.push(address);
  }
  return addresses;
}

function defaultRemote(
  remotes: Remotes,
  { settings, branch }: { readonly settings: readonly GitSetting[]; readonly branch: string | undefined },
  pushes: boolean,
): string {
  const last = (key: string) => valuesOf(settings, key).at(-1);
  const own = branch === undefined ? undefined : last(`branch.${branch}.remote`);
  const push = pushes
    ? ((branch === undefined ? undefined : last(`branch.${branch}.pushremote`)) ?? last("remote.pushdefault"))
    : undefined;
  const [only, ...others] = remotes.keys();
  return push ?? own ?? (only !== undefined && others.length === 0 ? only : "origin");
}
