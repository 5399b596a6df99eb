import { join } from "node:path";
import { onFuse } from "../../../storage/lock.js";
import { toAppError } from "../../base/errors.js";
import { exists, findAccessProblem, freeBytes, readFileMode } from "../../base/fs/home-files.js";
import type { BoardSlug } from "../../base/units.js";
import { summaryLine } from "../../commands/auth/text.js";
import { readUserKeys } from "../../config/user-keys.js";
import type { Check } from "../../contracts/check.js";
import type { AuthProvider } from "../../contracts/models/auth.js";
import { findUnknownBindings } from "../../contracts/skills/bound-skills.js";
import { checkGateway } from "../../gateway/lifecycle/gateway-problems.js";
import { toolCredentials } from "../../runtime/tool-credentials.js";
import { enabledPlatforms } from "../gateway/enabled-platforms.js";
import { examineRuntimes, examineWorkerPrograms } from "../runtimes/doctor-runtimes.js";
import { checkSessions, checkState, isOfHome } from "../stores/store-checks.js";
import { examineBrowser } from "./doctor-browser.js";
import { examineCage } from "./doctor-cage.js";
import { examineMcp } from "./doctor-mcp.js";
import { examineWeb } from "./doctor-web.js";
import type { OwnerParts } from "./owner-parts.js";

/** Everything `agent doctor` looks at. Each look is by itself: one that fails is a finding, not an end. */
export async function examine(
  parts: OwnerParts,
  options: { readonly deep: boolean; readonly fix: boolean },
): Promise<readonly Check[]> {
  const { options: app, stores } = parts;
  const looks: readonly Look[] = [
    () => runtime(),
    () => home(app.home.dir, app.corrected ?? []),
    () => config(parts),
    () => screenKeys(parts),
    () => checkState(stores),
    () => checkSessions(app.home, stores),
    () => boards(parts, options),
    () => model(parts),
    () => checkpoints(parts),
    () => logins(parts),
    () => messaging(parts),
    () => bindings(parts),
    () => shellHooks(parts),
    () => examineCage(parts.options),
    () => examineMcp(parts.options, parts.mcp),
    () => runtimes(parts),
    () => examineWorkerPrograms(app),
    () =>
      examineWeb(parts.options, parts.provided("web_search"), (name) => toolCredentials(parts.options, parts, name)),
    () => examineBrowser(parts.browser),
    ...(options.deep ? [() => deepSessions(parts), () => deepBoards(parts)] : []),
  ];
  const checks: Check[] = [];
  for (const look of looks) checks.push(...(await attempt(look)));
  return checks;
}

type Found = Check | readonly Check[];
type Look = () => Promise<Found> | Found;

async function attempt(look: Look): Promise<readonly Check[]> {
  try {
    return [await look()].flat();
  } catch (error) {
    const known = toAppError(error);
    return [{ name: "check", status: "fail", detail: known.message, fix: known.hint }];
  }
}

function runtime(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const fits = major > 20 || (major === 20 && minor >= 19);
  return {
    name: "node",
    status: fits ? "ok" : "fail",
    detail: process.versions.node,
    ...(fits ? {} : { fix: "install Node 20.19 or newer" }),
  };
}

/** Configured hooks that do not run; nothing is run for it (`agent hooks doctor` does). */
async function shellHooks({ options }: OwnerParts): Promise<readonly Check[]> {
  const { shellHooks: api } = options;
  const rows = (await api?.list()) ?? [];
  const problems = api?.problems() ?? [];
  if (rows.length === 0 && problems.length === 0) return [];
  if (problems.length === 0) return [{ name: "hooks", status: "ok", detail: `${rows.length} approved` }];
  return problems.map((detail) => ({ name: "hooks", status: "warn", detail, fix: "agent hooks list" }));
}

/** Nothing is said where nothing is kept. */
async function checkpoints({ options, keeper }: OwnerParts): Promise<readonly Check[]> {
  if (!exists(join(options.home.dir, "checkpoints", "store"))) return [];
  const { damaged, projects, size_bytes: size, store: path } = await (await keeper()).status();
  const detail = `${projects.length} ${projects.length === 1 ? "directory" : "directories"}, ${(size / (1 << 20)).toFixed(1)} MB`;
  if (damaged === 0) return [{ name: "checkpoints", status: "ok", detail }];
  const fix = "agent checkpoints list shows what is left; agent checkpoints clear -f starts over";
  return [{ name: "checkpoints", status: "warn", detail: `${detail}; ${damaged} damaged files in ${path}`, fix }];
}

/** Each provider with a login or a key in one line; no findings without one. */
async function logins({ auth, options }: OwnerParts): Promise<readonly Check[]> {
  const { providers, problems } = await auth.list();
  const store = problems.map((detail): Check => {
    return {
      name: "logins",
      status: "warn",
      detail,
      fix: "agent auth add recreates them; the damaged copy is kept",
    };
  });
  return [...store, ...providers.map((one) => login(one, summaryLine(one, options.clock.now())))];
}

/** Nothing is reported where no platform is set up. */
async function messaging({ options, gateway }: OwnerParts): Promise<readonly Check[]> {
  const { entries, problems } = enabledPlatforms(options);
  if (entries.length === 0 && problems.length === 0) return [];
  const settings = problems.map(
    (detail): Check => ({ name: "gateway", status: "fail", detail, fix: "agent gateway setup changes the settings" }),
  );
  const rows = checkGateway(
    await (await gateway()).api.status(),
    entries.map(({ tag }) => tag),
  );
  return [...settings, ...rows.filter((row) => !problems.includes(row.detail))];
}

/** Nothing is reported where no chat, topic or webhook has a skill that is unknown. */
async function bindings({ options, skills }: OwnerParts): Promise<readonly Check[]> {
  const unknown = await findUnknownBindings(options.config, skills.catalog, { env: {} });
  const fix = "agent skills list lists the skills; correct the setting";
  return unknown.map(({ message }) => ({ name: "skills", status: "fail", detail: message, fix }));
}

function login({ provider, entries, error }: AuthProvider, line: string): Check {
  const found = { name: "login", detail: line };
  if (entries.some((entry) => entry.status === "ok") && error === null) return { ...found, status: "ok" };
  const waits = entries.some((entry) => entry.status === "exhausted");
  const fix = waits ? `agent auth reset ${provider} retries them immediately` : `agent auth add ${provider}`;
  return { ...found, status: "warn", fix };
}

/** Less than that is soon used up, and with less nothing of size can be stored any more. */
const SCARCE_BYTES = 64 << 20;
const FULL_BYTES = 1 << 20;

function home(dir: string, corrected: readonly string[]): Check {
  if (!exists(dir)) return { name: "home", status: "ok", detail: `${dir} is created on first use` };
  const refused = findAccessProblem(dir);
  if (refused === "EROFS")
    return {
      name: "home",
      status: "fail",
      detail: `${dir} is on a read-only file system`,
      fix: "remount it read-write, or move AGENT_HOME",
    };
  if (refused !== undefined)
    return {
      name: "home",
      status: "fail",
      detail: `${dir} is not writable`,
      fix: `chmod u+rwx ${dir}`,
    };
  const free = freeBytes(dir);
  if (free !== undefined && free < SCARCE_BYTES) {
    const detail = `${dir} has ${Math.floor(free / (1 << 20))} MB of free disk space`;
    return {
      name: "home",
      status: free < FULL_BYTES ? "fail" : "warn",
      detail,
      fix: "free disk space; agent kanban gc --dry-run shows what the board can free",
    };
  }
  if (onFuse(dir))
    return {
      name: "home",
      status: "warn",
      detail: `${dir} is on FUSE; locks and fsync depend on its driver`,
      fix: "move AGENT_HOME to a local disk",
    };
  if ((readFileMode(dir) & 0o077) !== 0)
    return { name: "home", status: "warn", detail: `other users can read ${dir}`, fix: `chmod 700 ${dir}` };
  const was = corrected.length === 0 ? "" : `; other users could read ${corrected.join(", ")}; modes corrected`;
  return { name: "home", status: was === "" ? "ok" : "warn", detail: `${dir}${was}` };
}

function config({ options }: OwnerParts): Check {
  const problems = options.config.problems();
  const warnings = options.config.warnings();
  if (problems.length === 0 && warnings.length > 0)
    return {
      name: "settings",
      status: "warn",
      detail: warnings.join("; "),
      fix: "agent config check lists all problems",
    };
  if (problems.length === 0) return { name: "settings", status: "ok", detail: options.home.config };
  return {
    name: "settings",
    status: "fail",
    detail: problems.join("; "),
    fix: "agent config check lists all problems",
  };
}

/** No findings while they are unchanged. */
async function screenKeys({ options }: OwnerParts): Promise<readonly Check[]> {
  const { path, given, problems } = await readUserKeys(options.home);
  if (problems.length > 0)
    return [
      {
        name: "keys",
        status: "warn",
        detail: problems.join("; "),
        fix: `correct ${path}; agent keys lists the actions`,
      },
    ];
  return Object.keys(given).length === 0 ? [] : [{ name: "keys", status: "ok", detail: path }];
}

/** Each board in one line, from what `agent kanban doctor` finds; the dispatcher, which all of them share, has one of its own. */
async function boards(
  parts: OwnerParts,
  options: { readonly deep: boolean; readonly fix: boolean },
): Promise<readonly Check[]> {
  const { dir, root } = parts.options.home;
  if (dir !== root)
    return [{ name: "boards", status: "ok", detail: `belong to ${root}; agent kanban doctor checks them` }];
  const { board } = await parts.boards();
  const checks: Check[] = [];
  let dispatcher: Check | undefined;
  for (const { slug } of await board.boards()) {
    const known = slug as BoardSlug; // of a board that was listed
    const found = (await board.doctor(known, options)).checks;
    dispatcher ??= found.find((check) => check.name === "dispatcher");
    checks.push(
      summary(
        slug,
        found.filter((check) => check.name !== "dispatcher" && !isOfHome(check)),
      ),
    );
  }
  const closed = checks.some((check) => check.status === "fail");
  const unknown = closed ? "unknown: no board can be opened" : "no board yet";
  return [...checks, dispatcher ?? { name: "dispatcher", status: closed ? "warn" : "ok", detail: unknown }];
}

/** One line for many checks: the worst of them speak. */
function summary(slug: string, checks: readonly Check[]): Check {
  const name = `board ${slug}`;
  const [only] = checks;
  if (checks.length === 1 && only !== undefined) return { ...only, name };
  const repaired = checks
    .filter((check) => check.detail.startsWith("repaired: "))
    .map((check) => `${check.name}: ${check.detail}`);
  const status = (["fail", "warn"] as const).find((one) => checks.some((check) => check.status === one)) ?? "ok";
  const bad = checks
    .filter((check) => check.status === status && status !== "ok")
    .map((check) => `${check.name}: ${check.detail}`);
  const told = [...bad, ...repaired];
  const detail = told.length === 0 ? `${checks.length} checks` : told.join("; ");
  return {
    name,
    status,
    detail,
    ...(status === "ok"
      ? {}
      : { fix: `agent kanban ${slug === "default" ? "" : `--board ${slug} `}doctor suggests fixes` }),
  };
}

/** Both copies of each board, read in full. */
async function deepBoards(parts: OwnerParts): Promise<readonly Check[]> {
  if (parts.options.home.dir !== parts.options.home.root) return [];
  const { board } = await parts.boards();
  const checks: Check[] = [];
  for (const slug of await board.slugs()) checks.push(await deepBoard(parts, slug));
  return checks;
}

async function deepBoard({ stores }: OwnerParts, slug: BoardSlug): Promise<Check> {
  const name = `board ${slug}, deep`;
  const { findings } = await stores.inspect(slug, true);
  if (findings.length === 0) return { name, status: "ok", detail: "both copies are intact and identical" };
  return {
    name,
    status: "fail",
    detail: findings.join("; "),
    fix: "back up the home first; the next write creates a new copy",
  };
}

async function model({ models }: OwnerParts): Promise<Check> {
  try {
    const choice = await (await models()).choose({});
    const offline = choice.provider.id === "offline";
    const detail = `${choice.provider.id} ${choice.model}, window ${choice.window}`;
    return offline
      ? { name: "model", status: "warn", detail, fix: "agent config set model.base_url URL, or start a local server" }
      : { name: "model", status: "ok", detail };
  } catch (error) {
    const known = toAppError(error);
    return { name: "model", status: "fail", detail: known.message, fix: known.hint };
  }
}

async function runtimes({ options, models }: OwnerParts): Promise<readonly Check[]> {
  return examineRuntimes(options, async () => (await (await models()).choose({})).provider.id);
}

async function deepSessions({ stores }: OwnerParts): Promise<Check> {
  const findings = await (await stores.sessions()).check();
  const [first] = findings;
  if (first === undefined) return { name: "sessions, deep", status: "ok", detail: "all pages read" };
  return {
    name: "sessions, deep",
    status: "fail",
    detail: findings.slice(0, 3).join("; "),
    fix: "back up the home first, then restore an older copy",
  };
}
