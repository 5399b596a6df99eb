import { layOutHome } from "../../base/home.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Check } from "../../contracts/check.js";
import type { Config } from "../../contracts/config/config.js";
import { VENDOR_RUNTIME, WORKER_COMMAND, WORKER_PROGRAM } from "../../contracts/runtimes/keys.js";
import { VENDOR_PROVIDER } from "../../contracts/runtimes/switch.js";
import { profilePlaces } from "../../profiles/places.js";
import { compareProtocol, planOf, programOf } from "./runtime-switch.js";
import { readWorkerSettings } from "./worker-settings.js";

const BACK = "or agent vendor-runtime auto switches back";

/** The app-server where it is switched on; elsewhere nothing is run. Programs of board workers are checked by the board. */
export async function examineRuntimes(options: AppOptions, provider: () => Promise<string>): Promise<readonly Check[]> {
  if (options.config.get(VENDOR_RUNTIME) === undefined) return [];
  const name = "app-server";
  const { path, version, problem } = await programOf(options, new AbortController().signal);
  if (problem !== undefined)
    return [{ name, status: "fail", detail: problem, fix: `npm install -g @openai/codex, ${BACK}` }];
  const chosen = await provider();
  const used = chosen === VENDOR_PROVIDER ? "" : `; not used: the provider is ${chosen}`;
  return [
    { name, status: "ok", detail: `${path ?? ""}, version ${version ?? "unknown"}${used}` },
    ...(path === undefined ? [] : [await protocol(options, path)]),
    await settings(options),
  ];
}

/** Worker programs of profiles that answer their own requests for approval. What is missing is reported by the checks of the boards. */
export async function examineWorkerPrograms({ home, config, clock }: AppOptions): Promise<readonly Check[]> {
  const { names, dirOf } = profilePlaces(home.root);
  const checks: Check[] = [];
  for (const profile of home.dir === home.root ? names() : []) {
    const settings = await readWorkerSettings(layOutHome(dirOf(profile), home.root, profile), config.env, clock);
    if (settings !== undefined && approvesItself(settings))
      checks.push({
        name: "worker program",
        status: "warn",
        detail: `${profile}: codex-acp lets a model of its own answer most requests for approval`,
        fix: "in worker.command, put env INITIAL_AGENT_MODE=workspace-write before it; agent help worker-programs",
      });
  }
  return checks;
}

/** Modes of codex-acp in which it asks. */
const ASKING = /^INITIAL_AGENT_MODE=(?:workspace-write|read-only)$/;

function approvesItself(config: Config): boolean {
  const command = config.get(WORKER_PROGRAM) === "acp" ? config.get(WORKER_COMMAND) : [];
  return command.some((word) => /(?:^|\/)codex-acp(?:$|[@/])/.test(word)) && !command.some((word) => ASKING.test(word));
}

/** What the program's own schemas require, beside what is handled. */
async function protocol(options: AppOptions, program: string): Promise<Check> {
  const name = "app-server protocol";
  const { unknown, problem } = await compareProtocol(options, program, new AbortController().signal);
  if (problem !== undefined)
    return { name, status: "warn", detail: `not compared: ${problem}`, fix: `turns may work; ${BACK}` };
  if (unknown.length > 0)
    return { name, status: "warn", detail: unknown.join("; "), fix: `update this program, ${BACK}` };
  return { name, status: "ok", detail: "everything that it requires is handled" };
}

/** Its settings, with our servers in them. */
async function settings(options: AppOptions): Promise<Check> {
  const name = "app-server settings";
  const { file, changed, error, servers } = await planOf(options);
  if (error !== undefined)
    return { name, status: "warn", detail: `${file}: ${error}`, fix: "correct it, then agent vendor-runtime on" };
  if (changed)
    return { name, status: "warn", detail: `${file} is out of date`, fix: "agent vendor-runtime on updates it" };
  return { name, status: "ok", detail: `${file}, ${servers.length} server${servers.length === 1 ? "" : "s"}` };
}
