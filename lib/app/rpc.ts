import * as z from "zod";
import { defineMethod, type Method, type Methods } from "../backplane/methods.js";
import { AppError } from "../base/errors.js";
import type { CommandContext } from "../commands/define.js";
import type { CommandEntry } from "../commands/entry.js";
import { KANBAN_GLOBALS } from "../commands/globals.js";

/** What a command gets from the owner when a client calls it by its method name. */
export type RpcServices = Pick<
  CommandContext,
  | "home"
  | "auth"
  | "board"
  | "chat"
  | "config"
  | "settings"
  | "owner"
  | "profiles"
  | "models"
  | "checkpoints"
  | "languageServers"
  | "dashboard"
  | "proxy"
  | "cron"
  | "gateway"
  | "gateways"
  | "setup"
  | "log"
>;

const anything = z.record(z.string(), z.unknown());

/** Every command with the surface `rpc` as a method: `kanban create` is `kanban.create`, and its `data` is the result. */
export function commandMethods(entries: readonly CommandEntry[], services: RpcServices): Methods {
  const methods = new Map<string, Method>();
  for (const entry of entries) {
    if (!entry.surfaces.includes("rpc") || entry.follow) continue;
    methods.set(
      methodName(entry.path),
      defineMethod({
        params: anything,
        access: entry.access,
        repeat: (params) => (entry.path === "kanban create" && params["idempotency_key"] !== undefined ? "safe" : "noted"),
        run: (params, client) => callCommand(entry, params, services, client.signal),
      }),
    );
  }
  return methods;
}

const methodName = (path: string): string => path.replaceAll(" ", ".");

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
  services: RpcServices,
  signal: AbortSignal,
): Promise<unknown> {
  const command = await entry.load();
  const globals: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(given)) {
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

function contextOf(services: RpcServices, globals: Readonly<Record<string, unknown>>, signal: AbortSignal): CommandContext {
  const cwd = globals["cwd"];
  return {
    ...services,
    surface: "rpc",
    cwd: typeof cwd === "string" ? cwd : services.home.dir,
    env: {},
    json: true,
    columns: 80,
    color: false,
    globals,
    signal,
    gone: signal,
    pipeExit: () => undefined,
    out: () => Promise.resolve(),
    err: () => Promise.resolve(),
    stdin: () => Promise.resolve(""),
  };
}
