import { dirname } from "node:path";
import { AppError } from "../../lib/base/errors.js";
import { realPath } from "../../lib/base/fs/files.js";
import type { SpawnSpec } from "../../lib/base/process/spawn.js";
import type { Config } from "../../lib/contracts/config/config.js";
import type {
  DiagnosticsPort,
  InstallOutcome,
  LanguageServerCaller,
  LanguageServersApi,
  PlannedEdit,
  ServerState,
  WatchedEdit,
} from "../../lib/contracts/owner/language-servers.js";
import { childEnv } from "../../lib/safety/redact/env.js";
import type { Launch } from "./client.js";
import type { ServerDefinition } from "./definition.js";
import { type Baseline, baseline, type EditDeps, type Group, introduced } from "./edits.js";
import { renderFindings } from "./findings.js";
import { installText } from "./install.js";
import { createInstaller } from "./installer.js";
import { LSP_ENABLED, LSP_INSTALL, LSP_WAIT_MODE } from "./keys.js";
import type { LanguageServerParts } from "./parts.js";
import { createPool, keyOf } from "./pool.js";
import { commandOf, findProgram, installDir, outside } from "./programs.js";
import { nearest, serverRoot, workTree } from "./roots.js";
import { SERVERS, serverFor } from "./servers.js";
import { type Override, overrideOf, waiting } from "./settings.js";

/** Larger texts are left to other checks. */
const TEXT_CHARS = 2_000_000;

/** The language servers of one process: for the tools that write, and for `agent lsp`. */
export interface LanguageServers extends DiagnosticsPort, LanguageServersApi {
  /** Ends every server and every installation. */
  stop(): Promise<void>;
}

export function createLanguageServers(parts: LanguageServerParts): LanguageServers {
  const { config, clock } = parts;
  const pool = createPool(parts);
  const installer = createInstaller(parts, (id) => pool.mendServer(id));
  const deps = (): EditDeps => ({ pool, clock, wait: waiting(config) });
  const state = (definition: ServerDefinition, caller: LanguageServerCaller) => stateOf(definition, parts, caller);
  return {
    watch: async (edit) => {
      if (!config.get(LSP_ENABLED) || !isLocal(config)) return undefined;
      const groups = await groupsOf(edit, parts, (definition, key, root) => {
        if (pool.brokenReason(key) === undefined)
          pool.breakDown(key, { server: definition.id, root }, "its program is missing");
        installer.wanted(definition, edit.env);
      });
      const bases = (await Promise.all(groups.map((group) => baseline(group, deps(), edit.signal)))).filter(
        (base) => base !== undefined,
      );
      return bases.length === 0 ? undefined : watched(bases, deps);
    },
    status: async (caller) => {
      const servers = await Promise.all(SERVERS.map((definition) => state(definition, caller)));
      return {
        enabled: config.get(LSP_ENABLED),
        wait_mode: config.get(LSP_WAIT_MODE),
        install_strategy: config.get(LSP_INSTALL),
        clients: pool.live(),
        broken: pool.broken(),
        installing: installer.running(),
        servers,
      };
    },
    which: (id, caller) => state(named(id), caller),
    install: (id, caller): Promise<InstallOutcome> => installer.install(named(id), caller),
    restart: () => pool.clear(),
    stop: async () => {
      await Promise.all([installer.stop(), pool.clear()]);
    },
  };
}

/** Files of other backends are not where a server of this machine looks. */
function isLocal(config: Config): boolean {
  const backend = config.raw("terminal.backend");
  return backend === undefined || backend === "" || backend === "local";
}

function named(id: string): ServerDefinition {
  const found = SERVERS.find((one) => one.id === id);
  if (found === undefined)
    throw new AppError("E_NOT_FOUND", `unknown language server ${id}`, { hint: "agent lsp list shows them" });
  return found;
}

function watched(bases: readonly Baseline[], deps: () => EditDeps): WatchedEdit {
  return {
    covers: (path) => bases.some((base) => base.files.some((file) => file.path === path)),
    introduced: async (after, signal) => {
      const found = await Promise.all(bases.map((base) => introduced(base, after, deps(), signal)));
      return renderFindings(found.flat());
    },
  };
}

type Missing = (definition: ServerDefinition, key: string, root: string) => void;

/** The files of an edit by the server and root that they belong to. */
async function groupsOf(edit: PlannedEdit, parts: LanguageServerParts, missing: Missing): Promise<readonly Group[]> {
  const groups = new Map<string, Group>();
  for (const file of edit.files) {
    const definition = serverFor(file.path);
    if (definition === undefined || (file.before?.length ?? 0) > TEXT_CHARS) continue;
    const override = overrideOf(parts.config, definition.id);
    const tree = override.disabled ? undefined : await workTree(file.path, edit.launchDir);
    const root = tree === undefined ? undefined : await serverRoot(definition, file.path, tree);
    if (tree === undefined || root === undefined) continue;
    const key = keyOf(definition.id, root);
    const known = groups.get(key);
    const launch =
      known?.launch ?? (await launchOf(definition, override, root, { parts, env: outside(edit.env, tree) }));
    if (launch === undefined) missing(definition, key, root);
    else groups.set(key, { key, launch, files: [...(known?.files ?? []), file] });
  }
  return [...groups.values()];
}

interface Surroundings {
  readonly parts: LanguageServerParts;
  readonly env: Readonly<Record<string, string>>;
}

/** Undefined: its program is not there. */
async function launchOf(
  definition: ServerDefinition,
  override: Override,
  root: string,
  { parts, env }: Surroundings,
): Promise<Launch | undefined> {
  const clean = childEnv(env, parts.config);
  const command = await commandOf(definition, override, { home: parts.home, env: clean });
  if (command === undefined) return undefined;
  // A module of the project comes last: what runs unasked should not come from the files that are being edited.
  const places = [installDir(parts.home, definition.id), dirname((await realPath(command[0] ?? root)) ?? root), root];
  const findModule = async (path: string) => {
    for (const place of places) {
      const found = await nearest(place, path);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const options = { ...(await definition.options?.({ root, findModule })), ...override.options };
  const launch = { definition, root, command, env: { ...clean, ...override.env }, options };
  return override.cage === true ? { ...launch, cage: (spec) => cageServer(parts, definition, spec) } : launch;
}

async function cageServer(
  { cages, home }: LanguageServerParts,
  { id }: ServerDefinition,
  spec: SpawnSpec,
): Promise<SpawnSpec> {
  const shown = [installDir(home, id)];
  const choice = await cages?.choose({ directory: spec.cwd, lineage: "language-servers", env: spec.env, shown });
  if (choice?.how === "refused") throw new AppError("E_STATE", choice.message);
  return choice?.how === "caged" ? choice.cage.wrap(spec) : spec;
}

async function stateOf(
  definition: ServerDefinition,
  { config, home }: LanguageServerParts,
  caller: LanguageServerCaller,
): Promise<ServerState> {
  const override = overrideOf(config, definition.id);
  const command = await commandOf(definition, override, { home, env: caller.env });
  const { helper } = definition;
  const helped =
    helper === undefined || (await findProgram(helper.program, { ...caller.env, ...override.env })) !== undefined;
  const note = override.problem ?? (helped ? undefined : helper?.note);
  return {
    id: definition.id,
    extensions: [...(definition.names ?? []), ...definition.extensions],
    state: command !== undefined ? "installed" : definition.install.by === "hand" ? "manual-only" : "missing",
    disabled: override.disabled,
    ...(command?.[0] === undefined ? {} : { program: command[0] }),
    install: installText(definition),
    ...(note === undefined ? {} : { note }),
  };
}
