import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { pathExists } from "../../base/fs/directory.js";
import { removeEmpty, removeTree } from "../../base/fs/tree.js";
import type { Config } from "../../contracts/config/config.js";
import type { SettingsApi } from "../../contracts/config/settings.js";
import { PLUGINS_DISABLED, PLUGINS_ENABLED } from "../../contracts/plugins/plugin-keys.js";
import type { PluginPreview, PluginRow, PluginsApi, PluginUpdate } from "../../contracts/plugins/plugins.js";
import type { PluginDebug } from "../find/debug.js";
import { digestPlugin } from "../find/digest.js";
import { type Decision, decide, effective } from "../find/enablement.js";
import type { PluginManifest } from "../find/manifest.js";
import { type InstalledFrom, type LoadingMarks, type RecordsFile, statesOf } from "../find/records.js";
import { type FoundPlugin, type PluginRoot, scanPlugins } from "../find/scan.js";
import { snapshotPlugin } from "../find/snapshots.js";
import type { HostedPlugin, PluginHost } from "../host/plugin-host.js";
import { readOrigin } from "./plugin-source.js";
import { installPackages, placePlugin, type StageDeps, type StagedPlugin, stagePlugin } from "./stage.js";

/** What managing plugins is built on. */
export interface ManageDeps extends StageDeps {
  readonly config: Pick<Config, "get" | "raw">;
  readonly settings: Pick<SettingsApi, "change">;
  readonly roots: readonly PluginRoot[];
  readonly records: RecordsFile;
  readonly marks: LoadingMarks | undefined;
  readonly safe: boolean;
  readonly debug: PluginDebug;
  readonly userHome: string;
  /** The running host; undefined: nothing has needed plugins in this process yet. */
  readonly live: () => Promise<PluginHost | undefined>;
  /** The host with everything loaded that is enabled. */
  readonly loaded: () => Promise<PluginHost>;
  /** Load again: settings or files have changed. */
  readonly changed: (fresh: readonly string[]) => Promise<void>;
}

export function createPluginsApi(deps: ManageDeps): PluginsApi {
  const rows = () => listRows(deps);
  const row = async (key: string): Promise<PluginRow> => {
    const found = (await rows()).find((one) => one.key === key);
    if (found === undefined) throw unknownPlugin(key, await rows());
    return found;
  };
  return {
    list: rows,
    directories: async () => {
      const found = await scanPlugins(deps.roots, () => undefined);
      const chosen = effective(found, (plugin) => withConsent(plugin, deps));
      const allowed = chosen.flatMap(({ plugin, decision }) => (decision.load ? [plugin] : []));
      return await Promise.all(
        allowed.map(async ({ key, source, dir }) => ({
          key,
          source,
          dir: source === "project" ? await snapshotPlugin(statesOf(deps.homeDir), digestPlugin(dir)) : dir,
        })),
      );
    },
    enable: async (name, consent) => {
      const plugin = await findNamed(name, deps);
      const { key } = plugin;
      if (plugin.source === "project") await askConsent(plugin, consent, deps);
      await deps.marks?.end(key);
      await setLists(deps, key, true);
      await deps.changed([key]);
      return await row(key);
    },
    disable: async (name) => {
      const { key } = await findNamed(name, deps);
      await setLists(deps, key, false);
      await deps.changed([]);
      return await row(key);
    },
    install: async (source, { force, cwd, decide: choose }) => {
      const origin = await readOrigin(source, cwd, deps.userHome);
      const staged = await stagePlugin(origin, deps);
      try {
        const key = keyOf(staged.manifest, source);
        const from =
          origin.kind === "git"
            ? { url: origin.url, ref: origin.ref, subdir: origin.subdir, commit: staged.commit }
            : undefined;
        const exists = pathExists(join(deps.homeDir, "plugins", key));
        if (exists && !force)
          throw new AppError("E_CONFLICT", `the plugin ${key} is installed already`, {
            hint: "-f replaces it; agent plugins update moves it to its newest commit",
          });
        staged.files();
        const preview = previewOf({
          key,
          staged,
          from,
          exists,
          deps,
          warnings: origin.kind === "git" ? origin.warnings : [],
        });
        const chosen = await choose(preview);
        if (chosen === undefined) return undefined;
        if (chosen.npm && staged.dependencies.length > 0) await installPackages(staged.dir, deps);
        await placePlugin(staged, key, deps);
        await deps.records.change((all) => ({ ...all, installed: withRecord(all.installed, key, from) }));
        await setLists(deps, key, chosen.enable);
        await deps.changed([key]);
        return await row(key);
      } finally {
        await staged.drop();
      }
    },
    update: async (name, confirm) => await updatePlugin(await findNamed(name, deps), confirm, deps),
    remove: async (name) => {
      const { key, source, dir } = await findNamed(name, deps);
      if (source !== "user")
        throw new AppError("E_STATE", `${key} is a ${source} plugin; it cannot be removed here`, {
          hint: `agent plugins disable ${key} switches it off`,
        });
      await dropFromLists(deps, key);
      await deps.changed([]);
      await removeTree(dir);
      if (key.includes("/")) await removeEmpty(join(dir, ".."));
      await deps.records.change((all) => ({ ...all, installed: withRecord(all.installed, key, undefined) }));
    },
    run: async (name, argv, call) => {
      const command = (await deps.loaded()).cliCommand(name);
      if (command !== undefined) return await command.run(argv, call);
      const owner = (await rows()).find(({ provides_cli }) => provides_cli.includes(name));
      const why =
        owner === undefined ? "no plugin has it" : (owner.error ?? `the plugin ${owner.key} is ${owner.state}`);
      throw new AppError("E_NOT_FOUND", `agent ${name}: ${why}`, {
        hint: owner === undefined ? "agent plugins list shows what there is" : `agent plugins enable ${owner.key}`,
      });
    },
    reload: async () => {
      await deps.changed([]);
      return await rows();
    },
  };
}

async function listRows(deps: ManageDeps): Promise<readonly PluginRow[]> {
  const host = await deps.live();
  const hosted = new Map((host?.plugins() ?? []).map((one) => [one.plugin.key, one]));
  const found = await scanPlugins(deps.roots, () => undefined);
  const chosen = effective(found, (plugin) => withConsent(plugin, deps));
  return chosen.map(({ plugin, decision }) => toRow(plugin, decision, hosted.get(plugin.key), deps));
}

/** What settings say, and for a project's plugin what was allowed. */
function withConsent(plugin: FoundPlugin, { config, env, safe, records }: ManageDeps): Decision {
  const decision = decide(plugin, { config, env: env(), safe });
  if (!decision.load || plugin.source !== "project") return decision;
  const allowed = records.read().consents[plugin.dir];
  if (allowed !== undefined && allowed === quietDigest(plugin.dir)) return decision;
  const error = `${allowed === undefined ? "its files have not been allowed" : "its files have changed since they were allowed"}; agent plugins enable ${plugin.key} shows them`;
  return { load: false, state: "needs consent", error, skip: "no consent" };
}

function quietDigest(dir: string): string | undefined {
  try {
    return digestPlugin(dir).digest;
  } catch {
    return undefined; /* ok to lose: enabling it says what is wrong with its files */
  }
}

const NO_MANIFEST = {
  name: "",
  version: "",
  description: "",
  author: "",
  kind: "standalone",
  requiresEnv: [],
  providesTools: [],
  providesHooks: [],
  providesCli: [],
} as const;

function toRow(
  plugin: FoundPlugin,
  decision: Decision,
  hosted: HostedPlugin | undefined,
  { env, records }: ManageDeps,
): PluginRow {
  const { key, source, manifest, problem, policy } = plugin;
  const from = source === "user" ? records.read().installed[key] : undefined;
  const { name, version, description, author, kind, requiresEnv, providesTools, providesHooks, providesCli } =
    manifest ?? NO_MANIFEST;
  const live = hosted?.plugin.dir === plugin.dir ? hosted : undefined;
  const now = env();
  return {
    key,
    name: name || key,
    version,
    description,
    author,
    source,
    kind,
    state: live?.state ?? (decision.load ? "enabled" : decision.state),
    error: live?.error ?? (decision.load ? null : (decision.error ?? problem ?? null)),
    url: from?.url ?? null,
    ref: from === undefined || from.ref === "" ? null : from.ref,
    commit: from?.commit ?? null,
    requires_env: requiresEnv.map((one) => ({ ...one, set: (now[one.name] ?? "") !== "" })),
    provides_tools: providesTools,
    provides_hooks: providesHooks,
    provides_cli: providesCli,
    policy,
    registered: live?.registered ?? {},
  };
}

async function findNamed(name: string, deps: ManageDeps): Promise<FoundPlugin> {
  const found = await scanPlugins(deps.roots, () => undefined);
  const chosen = effective(found, (plugin) => withConsent(plugin, deps)).map(({ plugin }) => plugin);
  const byKey = chosen.find(({ key }) => key === name);
  if (byKey !== undefined) return last(found, byKey, deps);
  const [only, ...more] = chosen.filter(({ manifest }) => manifest?.name === name);
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined) throw unknownPlugin(name, chosen);
  throw new AppError(
    "E_AMBIGUOUS",
    `several plugins are called ${name}: ${[only, ...more].map(({ key }) => key).join(", ")}`,
  );
}

/** Who enables a key that a project has as well means the project's plugin, which would stand. */
function last(found: readonly FoundPlugin[], chosen: FoundPlugin, { safe }: ManageDeps): FoundPlugin {
  const later = found.filter(({ key, source }) => key === chosen.key && source === "project").at(-1);
  return safe ? chosen : (later ?? chosen);
}

const unknownPlugin = (name: string, known: readonly { readonly key: string }[]) =>
  new AppError(
    "E_NOT_FOUND",
    `unknown plugin '${name}'${known.length === 0 ? "" : ` (known: ${known.map(({ key }) => key).join(", ")})`}`,
    {
      hint: "agent plugins list shows them",
    },
  );

async function askConsent(plugin: FoundPlugin, consent: Parameters<PluginsApi["enable"]>[1], { records }: ManageDeps) {
  const { digest, files } = digestPlugin(plugin.dir);
  const allowed = records.read().consents[plugin.dir];
  if (allowed === digest) return;
  const wanted = {
    key: plugin.key,
    dir: plugin.dir,
    digest,
    files: files.map(({ path }) => path),
    changed: allowed !== undefined,
  };
  if (!(await consent(wanted)))
    throw new AppError("E_FORBIDDEN", `the files of the project's plugin ${plugin.key} were not allowed`, {
      hint: "-y allows exactly these bytes",
    });
  await records.change((all) => ({ ...all, consents: { ...all.consents, [plugin.dir]: digest } }));
}

async function setLists({ config, settings }: ManageDeps, key: string, on: boolean): Promise<void> {
  const without = (list: readonly string[]) => list.filter((one) => one !== key);
  const enabled = without(config.get(PLUGINS_ENABLED));
  const disabled = without(config.get(PLUGINS_DISABLED));
  await settings.change({
    [PLUGINS_ENABLED.key]: on ? [...enabled, key] : enabled,
    [PLUGINS_DISABLED.key]: on ? disabled : [...disabled, key],
  });
}

async function dropFromLists({ config, settings }: ManageDeps, key: string): Promise<void> {
  const values: Record<string, unknown> = {};
  for (const list of [PLUGINS_ENABLED, PLUGINS_DISABLED])
    if (config.get(list).includes(key)) values[list.key] = config.get(list).filter((one) => one !== key);
  if (Object.keys(values).length > 0) await settings.change(values);
}

/** Directory name of a plugin: that of its manifest. @throws E_INVALID it is none */
function keyOf({ name }: PluginManifest, source: string): string {
  const key = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "");
  if (/^[a-z0-9][a-z0-9_-]{0,63}$/.test(key)) return key;
  throw new AppError("E_INVALID", `${source}: the name '${name}' of its manifest cannot be a directory`);
}

interface Previewed {
  readonly key: string;
  readonly staged: StagedPlugin;
  readonly from: InstalledFrom | undefined;
  readonly exists: boolean;
  readonly warnings: readonly string[];
  readonly deps: ManageDeps;
}

function previewOf({ key, staged, from, exists, warnings, deps }: Previewed): PluginPreview {
  const { manifest, dir, dependencies } = staged;
  const plugin: FoundPlugin = { key, source: "user", dir, manifest, problem: undefined, policy: manifest.policy };
  const off = { load: false, state: "not enabled", skip: "" } as const;
  const row = toRow(plugin, off, undefined, deps);
  return {
    row: {
      ...row,
      url: from?.url ?? null,
      ref: from === undefined || from.ref === "" ? null : from.ref,
      commit: from?.commit ?? null,
    },
    dependencies,
    warnings: [...warnings, ...manifest.warnings],
    exists,
    enabled: exists && deps.config.get(PLUGINS_ENABLED).includes(key),
  };
}

const withRecord = (all: Readonly<Record<string, InstalledFrom>>, key: string, from: InstalledFrom | undefined) => {
  const others = Object.fromEntries(Object.entries(all).filter(([name]) => name !== key));
  return from === undefined ? others : { ...others, [key]: from };
};

async function updatePlugin(
  { key, source, dir }: FoundPlugin,
  confirm: (update: PluginUpdate) => Promise<boolean>,
  deps: ManageDeps,
): Promise<PluginUpdate> {
  const from = source === "user" ? deps.records.read().installed[key] : undefined;
  if (from === undefined)
    throw new AppError("E_STATE", `${key} was not installed from git; it cannot be updated`, {
      hint: "agent plugins install -f replaces it",
    });
  const staged = await stagePlugin(
    { kind: "git", url: from.url, ref: from.ref, subdir: from.subdir, warnings: [] },
    deps,
  );
  try {
    if (keyOf(staged.manifest, from.url) !== key)
      throw new AppError("E_STATE", `the plugin in ${from.url} is called ${staged.manifest.name} now`, {
        hint: "install it by its address",
      });
    const files = staged.commit === from.commit ? [] : changedFiles(dir, staged);
    const asks = deps.config.get(PLUGINS_ENABLED).includes(key) && files.length > 0;
    const update: PluginUpdate = { key, from: from.commit, to: staged.commit, files, asks };
    if (staged.commit === from.commit || !(await confirm(update))) return update;
    if (pathExists(join(dir, "node_modules")) && staged.dependencies.length > 0)
      await installPackages(staged.dir, deps);
    await placePlugin(staged, key, deps);
    await deps.records.change((all) => ({
      ...all,
      installed: withRecord(all.installed, key, { ...from, commit: staged.commit }),
    }));
    await deps.changed([key]);
    return update;
  } finally {
    await staged.drop();
  }
}

function changedFiles(dir: string, staged: StagedPlugin): PluginUpdate["files"] {
  const own = (path: string) => !path.startsWith("node_modules/");
  const byPath = (files: readonly { readonly path: string; readonly bytes: Buffer }[]) =>
    new Map(files.filter(({ path }) => own(path)).map(({ path, bytes }) => [path, bytes]));
  const before = byPath(digestPlugin(dir).files);
  const after = byPath(staged.files().files);
  const paths = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return paths.flatMap((path) => {
    const was = before.get(path);
    const is = after.get(path);
    if (was !== undefined && is !== undefined && was.equals(is)) return [];
    return [{ status: was === undefined ? "A" : is === undefined ? "D" : "M", path }];
  });
}
