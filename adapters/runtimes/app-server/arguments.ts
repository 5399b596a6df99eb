import { CALLBACK_SERVER, CALLBACK_VARIABLES } from "../../../lib/contracts/runtimes/callback-wire.js";
import type { CallbackEntry, RuntimePlace, VendorRoute } from "../../../lib/contracts/runtimes/runtime.js";
import { isPassed } from "../shared/environment.js";

/** What the app-server reads beside what every program gets. */
const OWN = /^(CODEX_CA_CERTIFICATE|RUST_LOG)$/;
/** The name that the program knows, and ours. */
const KEY = "OPENAI_API_KEY";
const OWN_KEY = "VENDOR_API_KEY";
/** Provider of the program for the API-key route: the one that it has built in takes a login alone. */
export const KEY_PROVIDER = "agent-vendor";
/** What the callback server needs, and commands of the program do not see. */
const BOARD = /^(AGENT_KANBAN_\w+|AGENT_CALLBACK_SOCKET)$/;
const HIDDEN = ["AGENT_KANBAN_*", "AGENT_CALLBACK_*"];

/** The whole environment of the program (extensions part, 8.2). */
export function programEnv(place: RuntimePlace, home: string | undefined): Record<string, string> {
  const passed = Object.entries(place.env).filter(
    ([name]) => isPassed(name) || OWN.test(name) || (place.worker !== undefined && BOARD.test(name)),
  );
  const key = place.vendor?.key.reveal() ?? place.env[KEY] ?? place.env[OWN_KEY];
  return {
    RUST_LOG: "warn",
    ...Object.fromEntries(passed),
    ...place.callback?.env,
    ...(key === undefined ? {} : { [KEY]: key }),
    ...(home === undefined ? {} : { CODEX_HOME: home }),
  };
}

/**
 * Arguments of the program: settings of ours that hold for this start alone.
 *
 * @param secrets Variables that its MCP servers get and its commands do not.
 */
export function programArgs(
  { callback, worker, vendor }: Pick<RuntimePlace, "callback" | "worker" | "vendor">,
  secrets: readonly string[] = [],
): string[] {
  const hidden = [...HIDDEN, ...(vendor === undefined ? [] : [KEY]), ...secrets];
  const settings: [string, unknown][] = [["shell_environment_policy.exclude", hidden]];
  if (vendor !== undefined) settings.push(...keyProviderSettings(vendor));
  if (worker !== undefined) {
    settings.push(
      ["sandbox_mode", "workspace-write"],
      ["sandbox_workspace_write.writable_roots", worker.writable],
      ["sandbox_workspace_write.network_access", false],
    );
  }
  if (callback !== undefined) settings.push(...callbackSettings(callback));
  // JSON of texts, lists and truth values is TOML.
  return ["app-server", ...settings.flatMap(([name, value]) => ["-c", `${name}=${JSON.stringify(value)}`])];
}

function keyProviderSettings({ baseUrl }: VendorRoute): [string, unknown][] {
  const provider = `model_providers.${KEY_PROVIDER}`;
  return [
    [`${provider}.name`, "OpenAI"],
    [`${provider}.base_url`, baseUrl],
    [`${provider}.wire_api`, "responses"],
    [`${provider}.env_key`, KEY],
  ];
}

function callbackSettings({ command, args, env }: CallbackEntry): [string, unknown][] {
  const server = `mcp_servers.${CALLBACK_SERVER}`;
  return [
    [`${server}.command`, command],
    [`${server}.args`, args],
    // The program gives its MCP servers a filtered environment: these are named.
    [`${server}.env_vars`, [...new Set([...CALLBACK_VARIABLES, ...Object.keys(env)])]],
    [`${server}.default_tools_approval_mode`, "approve"],
    [`${server}.startup_timeout_sec`, 30],
    [`${server}.tool_timeout_sec`, 600],
  ];
}
