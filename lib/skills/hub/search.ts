import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { makeDir } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { removeTree } from "../../base/fs/tree.js";
import { sha256 } from "../../base/text/hash.js";
import type { Config } from "../../contracts/config/config.js";
import type { HubRow, HubSearch, SkillTrust } from "../../contracts/skills/hub.js";
import { SKILLS_HUB_SOURCES, SKILLS_HUB_TAPS } from "../../contracts/skills/keys.js";
import { fetchRepository } from "../../safety/git/fetch-repository.js";
import { readSkillText } from "../catalog/front-matter.js";
import { type FetchDeps, officialSkills, skillDirectories } from "./fetch.js";
import { type GitOrigin, type HubOrigin, readIdentifier } from "./identifier.js";
import { fetchIndex } from "./index-file.js";
import type { HubLock } from "./lock.js";

interface SearchDeps extends FetchDeps {
  readonly config: Pick<Config, "get">;
  readonly userHome: () => string;
  readonly trustOf: (origin: HubOrigin) => SkillTrust;
  readonly lock: HubLock;
}

type Offer = Omit<HubRow, "installed">;

/** How long the answer of a source is kept. */
const KEPT_MS = 3_600_000;
const CACHE_MAX = 4 << 20;
const SKILL_MAX = 1 << 20;

const row = z.object({
  identifier: z.string(),
  name: z.string(),
  description: z.string(),
  version: z.string(),
  source: z.enum(["official", "github", "git", "well-known", "url", "marketplace", "directory"]),
  trust: z.enum(["builtin", "trusted", "community"]),
});
const cache = z.object({ at: z.number(), rows: z.array(row) });

/** Ask every source. One that does not answer is named, and the others count. */
export async function searchSources(query: string, deps: SearchDeps, signal?: AbortSignal): Promise<HubSearch> {
  const { config, lock } = deps;
  const offers: Offer[] = [...officialOffers(deps)];
  const failed: string[] = [];
  const ask = async (name: string, offer: () => Promise<readonly Offer[]>): Promise<void> => {
    try {
      offers.push(...(await remembered(name, offer, deps)));
    } catch (error) {
      signal?.throwIfAborted();
      failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  for (const tap of config.get(SKILLS_HUB_TAPS)) await ask(tap, () => tapOffers(tap, deps, signal));
  for (const address of config.get(SKILLS_HUB_SOURCES)) await ask(address, () => indexOffers(address, deps, signal));
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const rows = offers
    .filter(({ name, description, identifier }) => {
      const text = `${name} ${description} ${identifier}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((one) => ({ ...one, installed: lock[one.name]?.identifier === one.identifier }));
  return { rows: rows.toSorted(byRank), failed };
}

const RANK = { builtin: 0, trusted: 1, community: 2 } as const;
const byRank = (a: HubRow, b: HubRow): number => RANK[a.trust] - RANK[b.trust] || (a.name < b.name ? -1 : 1);

function officialOffers({ optional }: SearchDeps): readonly Offer[] {
  return officialSkills(optional()).flatMap(({ name, dir }) => {
    const facts = factsOf(dir, name);
    return facts === undefined
      ? []
      : [{ ...facts, identifier: `official/${name}`, source: "official" as const, trust: "builtin" as const }];
  });
}

function factsOf(dir: string, fallback: string): Pick<Offer, "name" | "description" | "version"> | undefined {
  const bytes = readRegularFileSync(join(dir, "SKILL.md"), SKILL_MAX);
  const read = bytes === undefined ? "" : readSkillText(bytes.toString("utf8"), fallback);
  if (typeof read === "string") return undefined;
  const { name, description, version } = read.facts;
  return { name, description, version };
}

/** Skills of a repository that is searched. @throws E_INVALID it is not the name of one; E_NOT_FOUND */
async function tapOffers(tap: string, deps: SearchDeps, signal: AbortSignal | undefined): Promise<readonly Offer[]> {
  const origin = readTap(tap, deps.userHome());
  const work = join(deps.home.dir, "skills", ".hub", "quarantine", deps.ids.token().slice(0, 16));
  makeDir(work);
  try {
    const { spawner, clock, env } = deps;
    const wanted = { url: origin.url, ref: origin.ref, dir: work, ...(signal !== undefined && { signal }) };
    await fetchRepository({ spawner, clock, env: env() }, wanted);
    return skillDirectories(join(work, origin.inner)).flatMap((below): readonly Offer[] => {
      const inner = [origin.inner, below].filter((part) => part !== "").join("/");
      const facts = factsOf(join(work, inner), below.split("/").at(-1) ?? "");
      if (facts === undefined) return [];
      const at = origin.ref === "" ? "" : `@${origin.ref}`;
      const identifier = `${origin.repository}${inner === "" ? "" : `/${inner}`}${at}`;
      return [{ ...facts, identifier, source: origin.kind, trust: deps.trustOf(origin) }];
    });
  } finally {
    await removeTree(work);
  }
}

/** A repository that can be fetched and has skills, as the setting holds it. @throws E_INVALID, E_NOT_FOUND */
export async function checkTap(repository: string, deps: SearchDeps, signal?: AbortSignal): Promise<string> {
  const tap = repository.trim();
  const offers = await tapOffers(tap, deps, signal);
  if (offers.length === 0)
    throw new AppError("E_NOT_FOUND", `${tap} has no directory with a SKILL.md`, {
      hint: "name its directory: owner/repo/dir",
    });
  return tap;
}

/** @throws E_INVALID it is not a repository */
function readTap(tap: string, userHome: string): GitOrigin {
  const origin = readIdentifier(tap, { cwd: userHome, userHome });
  if (origin.kind === "github" || origin.kind === "git") return origin;
  throw new AppError("E_INVALID", `${tap} is not owner/repo or an address of git`);
}

async function indexOffers(
  address: string,
  deps: SearchDeps,
  signal: AbortSignal | undefined,
): Promise<readonly Offer[]> {
  const kind = address.endsWith("/.well-known/skills/index.json") ? "well-known" : "marketplace";
  return (await fetchIndex(deps.net, address, signal)).map(({ name, description, version }) => ({
    identifier: `${address}#${name}`,
    name,
    description,
    version,
    source: kind,
    trust: deps.trustOf({ kind, index: address, name }),
  }));
}

async function remembered(
  source: string,
  offer: () => Promise<readonly Offer[]>,
  { home, clock }: SearchDeps,
): Promise<readonly Offer[]> {
  const path = join(home.dir, "skills", ".hub", "cache", `${sha256(source).slice(0, 32)}.json`);
  const known = readCache(path);
  const now = clock.now();
  if (known !== undefined && now - known.at < KEPT_MS && now >= known.at) return known.rows;
  const rows = await offer();
  replaceTextFile(path, JSON.stringify({ at: now, rows }), 0o600);
  return rows;
}

function readCache(path: string): z.infer<typeof cache> | undefined {
  const bytes = readRegularFileSync(path, CACHE_MAX);
  if (bytes === undefined) return undefined;
  try {
    return cache.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined; /* ok to lose: the source is asked again */
  }
}
