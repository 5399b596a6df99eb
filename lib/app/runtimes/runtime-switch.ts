import { homedir } from "node:os";
import { type Migration, migrate, planMigration } from "../../../adapters/runtimes/app-server/migrate/migrate.js";
import { listPlugins, type Plugins } from "../../../adapters/runtimes/app-server/plugins.js";
import { compareSchemas } from "../../../adapters/runtimes/app-server/schemas.js";
import { appServerHome, settingsFile } from "../../../adapters/runtimes/app-server/settings-file.js";
import { examineProgram } from "../../../adapters/runtimes/app-server/version.js";
import { withLinkedSignal } from "../../base/async/abort-any.js";
import { AppError } from "../../base/errors.js";
import { distFile } from "../../base/fs/dist.js";
import type { Ms } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import { readEnvFile, readSettingsFile } from "../../config/read-settings.js";
import { isSecretName } from "../../config/secret-names.js";
import type { SettingsApi } from "../../contracts/config/settings.js";
import { MCP_SERVERS } from "../../contracts/mcp/keys.js";
import { APP_SERVER_COMMAND, APP_SERVER_HOME, VENDOR_RUNTIME } from "../../contracts/runtimes/keys.js";
import type {
  MigrationReport,
  RuntimeProgram,
  RuntimeSwitch,
  SchemaComparison,
} from "../../contracts/runtimes/switch.js";
import { logRedactor } from "../../runtime/known-secrets.js";

type Needs = Pick<AppOptions, "home" | "config" | "clock" | "spawner" | "version" | "hooks" | "shellHooks">;

const ON = "vendor_app_server";
const INSTALL =
  "npm install -g @openai/codex installs it; app_server.command or AGENT_APP_SERVER_BIN names another place";

/** The switch of this home, for `/vendor-runtime`. */
export function createRuntimeSwitch(options: Needs, settings: SettingsApi): RuntimeSwitch {
  const { config } = options;
  const isOn = (): boolean => config.get(VENDOR_RUNTIME) === ON;
  return {
    state: async (signal) => ({ on: isOn(), program: await programOf(options, signal) }),
    enable: async (signal) => {
      const program = await programOf(options, signal);
      if (program.problem !== undefined || program.path === undefined)
        throw new AppError("E_STATE", `the app-server cannot be used: ${program.problem ?? "it is not installed"}`, {
          hint: INSTALL,
        });
      const changed = !isOn();
      if (changed) await settings.set(VENDOR_RUNTIME.key, ON, { asText: true, force: false });
      const { path } = program;
      const [plugins, protocol] = await Promise.all([
        listPlugins(path, { ...options, env: programEnv(options) }, signal),
        compareInTime(options, path, signal),
      ]);
      const migration = migrate(await migrationOf(options, plugins));
      return { changed, program, migration, protocol, policyHooks: await hasPolicyHooks(options) };
    },
    disable: () => settings.unset(VENDOR_RUNTIME.key),
    outdated: async () => {
      if (!isOn()) return undefined;
      const { file, changed } = await planOf(options);
      return changed ? file : undefined;
    },
  };
}

/** How long `/vendor-runtime on` waits for the program's schemas. */
const COMPARE_MS: Ms = 10_000;

/** What the program's own schemas require, beside what is handled; a program that takes its time is not waited for. */
async function compareInTime(options: Needs, path: string, signal: AbortSignal): Promise<SchemaComparison> {
  const late = new AbortController();
  const cancel = options.clock.after(COMPARE_MS, () => late.abort());
  try {
    return await withLinkedSignal([signal, late.signal], (either) => compareProtocol(options, path, either));
  } catch (error) {
    signal.throwIfAborted();
    if (!late.signal.aborted) throw error;
    return { unknown: [], problem: `${path} did not write its schemas within ${COMPARE_MS / 1_000} s` };
  } finally {
    cancel();
  }
}

/** What the program's own schemas require, beside what is handled. */
export function compareProtocol(
  { spawner, clock, config, home }: Needs,
  program: string,
  signal: AbortSignal,
): Promise<SchemaComparison> {
  return compareSchemas(program, { spawner, clock, env: config.env, redact: logRedactor(config, home) }, signal);
}

/** What stands for the app-server on this machine. */
export async function programOf({ home, config, clock, spawner }: Needs, signal: AbortSignal): Promise<RuntimeProgram> {
  const parts = { clock, spawner, env: config.env, redact: logRedactor(config, home) };
  return examineProgram(config.get(APP_SERVER_COMMAND), parts, signal);
}

/** Whether our servers stand in the settings of the app-server as they should. Plugins are not asked for. */
export async function planOf(options: Needs): Promise<MigrationReport> {
  return planMigration(await migrationOf(options, { problem: "not asked" }));
}

async function migrationOf(options: Needs, plugins: Plugins): Promise<Migration> {
  const { home, config } = options;
  const read = await readSettingsFile(home.config);
  const written = read.ok ? read.settings[MCP_SERVERS.key] : {};
  const ofHome = readEnvFile(home.env);
  return {
    file: settingsFile(appServerHome(config.get(APP_SERVER_HOME), config.env)),
    servers: {
      written,
      env: config.env,
      userHome: config.env["HOME"] ?? homedir(),
      isSecretName: (name) => Object.hasOwn(ofHome, name) || isSecretName(name) || SECRET_PARTS.test(name),
    },
    callback: { command: process.execPath, args: [distFile("agent.cjs"), "mcp-callback"] },
    plugins,
  };
}

/** Parts of names of variables and headers that hold secrets. */
const SECRET_PARTS = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|AUTHORIZATION|COOKIE|DSN/i;

/** What the program has while it lists its plugins. */
function programEnv({ config }: Needs): Record<string, string> {
  const passed = Object.entries(config.env).filter((pair): pair is [string, string] => {
    const [name, value] = pair;
    return value !== undefined && PASSED.test(name);
  });
  return {
    ...Object.fromEntries(passed),
    RUST_LOG: "warn",
    CODEX_HOME: appServerHome(config.get(APP_SERVER_HOME), config.env),
  };
}

const PASSED = /^(PATH|HOME|USER|LANG|LC_\w+|TERM|SHELL|TMPDIR|SSL_CERT_\w+|(https?|all|no)_proxy)$/i;

/** A hook decides about tool calls: a program of the settings, or a plugin. */
async function hasPolicyHooks({ hooks, shellHooks }: Needs): Promise<boolean> {
  const rows = (await shellHooks?.list()) ?? [];
  return hooks?.has("pre_tool_call") === true || rows.some(({ event }) => event === "pre_tool_call");
}
