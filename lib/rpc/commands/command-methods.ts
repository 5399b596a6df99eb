import * as z from "zod";
import { defineMethod, type Method, type Methods } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import { isRecord } from "../../base/json/record.js";
import type { AnyCommand, CommandContext, CommandServices } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import { KANBAN_GLOBALS } from "../../commands/globals.js";

/** The request has been parsed: its parameters are a record, and the schema of the command says the rest. */
const anything = z.custom<Record<string, unknown>>(isRecord);

/** Every command with the surface `rpc` as a method: `kanban create` is `kanban.create`, and its `data` is the result. */
export function commandMethods(entries: readonly CommandEntry[], services: CommandServices): Methods {
  const methods = new Map<string, Method>();
  for (const entry of entries) {
    if (!entry.surfaces.includes("rpc") || entry.follow) continue;
    methods.set(
      methodName(entry.path),
      defineMethod({
        params: anything,
        access: entry.access,
        people: entry.self !== undefined,
        repeat: (params) =>
          entry.path === "kanban create" && params["idempotency_key"] !== undefined ? "safe" : "noted",
        run: (params, client) => callCommand(entry, params, services, client.signal),
      }),
    );
  }
  return methods;
}

const methodName = (path: string): string => path.replaceAll(" ", ".");

/** Commands by their entries: an import that is asked for again copies the names of its module again. */
const loaded = new WeakMap<CommandEntry, AnyCommand>();

async function load(entry: CommandEntry): Promise<AnyCommand> {
  const command = await entry.load();
  loaded.set(entry, command);
  return command;
}

/** Parameters that belong to every command. */
const SHARED = new Set([...KANBAN_GLOBALS.map((flag) => flag.name), "cwd"]);

/**
 * Run a command by the values of its parameters, as a client of the owner. @returns its `data`
 *
 * @throws E_INVALID_PARAMS, and what the command throws
 */
export async function callCommand(
  entry: CommandEntry,
  given: Readonly<Record<string, unknown>>,
  services: CommandServices,
  signal: AbortSignal,
): Promise<unknown> {
  const command = loaded.get(entry) ?? (await load(entry));
  const globals: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const name of Object.keys(given)) {
    const value = given[name];
    if (SHARED.has(name)) globals[name] = value;
    if (!SHARED.has(name) || name in command.params.shape) own[name] = value;
  }
  const parsed = command.params.safeParse(own);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new AppError("E_INVALID_PARAMS", `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "malformed"}`, {
      path: issue?.path.join(".") ?? "",
    });
  }
  const result = await command.run(parsed.data, contextOf(services, globals, signal));
  return result.data;
}

const nothing = () => Promise.resolve();
const noInput = () => Promise.resolve("");
const noExit = () => undefined;

/** Every member by its name: an object that is spread and then added to takes a hundred times as long and kilobytes, and this is made for each call. */
function contextOf(
  services: CommandServices,
  globals: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
): CommandContext {
  const cwd = globals["cwd"];
  return {
    home: services.home,
    auth: services.auth,
    board: services.board,
    chat: services.chat,
    config: services.config,
    settings: services.settings,
    owner: services.owner,
    profiles: services.profiles,
    models: services.models,
    checkpoints: services.checkpoints,
    languageServers: services.languageServers,
    mcp: services.mcp,
    hooks: services.hooks,
    dashboard: services.dashboard,
    proxy: services.proxy,
    cron: services.cron,
    gateway: services.gateway,
    gateways: services.gateways,
    setup: services.setup,
    mcpControl: services.mcpControl,
    desktopControl: services.desktopControl,
    shell: services.shell,
    plugins: services.plugins,
    skills: services.skills,
    memory: services.memory,
    browser: services.browser,
    voice: services.voice,
    runtimes: services.runtimes,
    log: services.log,
    surface: "rpc",
    cwd: typeof cwd === "string" ? cwd : services.home.dir,
    env: {},
    json: true,
    columns: 80,
    color: false,
    globals,
    signal,
    gone: signal,
    pipeExit: noExit,
    out: nothing,
    err: nothing,
    stdin: noInput,
  };
}
