import { AppError } from "../base/errors.js";
import { isRecord } from "../base/json/record.js";
import { isSecretName } from "../config/secret-names.js";
import { MCP_CATALOG, type McpCatalogEntry } from "../contracts/mcp/catalog.js";
import { type McpEntry, readMcpEntry } from "../contracts/mcp/entry.js";
import type { McpApi, McpTestOutcome, McpToolInfo } from "../contracts/mcp/mcp.js";
import type {
  McpAdded,
  McpAddOptions,
  McpConfigureOptions,
  McpControl,
  McpInstallOptions,
} from "../contracts/mcp/served.js";
import { askUntilValid, type Person, pickRow } from "./ask-person.js";
import type { SettingChange, StoreSettings } from "./store-change.js";

export interface McpServersDeps {
  readonly mcp: Pick<McpApi, "probe">;
  /** `mcp_servers` as it is written. */
  readonly entries: () => Readonly<Record<string, unknown>>;
  /** Variables of the environment and of `.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly keep: StoreSettings;
  /** A user at a terminal; undefined: no one can be asked. */
  readonly person: Person | undefined;
  /** One value that is not shown: asked for at a terminal, else all of standard input. */
  readonly hidden: (question: string) => Promise<string>;
  /** Run `agent mcp login`. @returns whether it succeeded */
  readonly login: (name: string) => Promise<boolean>;
  readonly signal: AbortSignal;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

type Written = Readonly<Record<string, unknown>>;

/** An entry that is about to be saved, and the variables of `.env` that it refers to. */
interface Draft {
  readonly name: string;
  readonly written: Written;
  readonly secrets: Readonly<Record<string, string>>;
}

/** `agent mcp add`, `install`, `picker` and `configure` at the terminal of their caller. */
export function createMcpServers(deps: McpServersDeps): Omit<McpControl, "serve"> {
  const install = (id: string, options: McpInstallOptions) =>
    add(deps, { ...options, name: options.name ?? id, preset: id, parallel: false, header: "Authorization" });
  return {
    add: (options) => add(deps, options),
    install,
    pick: async () => {
      if (deps.person === undefined)
        throw new AppError("E_USAGE", "agent mcp picker needs a terminal", {
          hint: "agent mcp catalog lists the entries, agent mcp install ID adds one",
        });
      const rows = MCP_CATALOG.map(({ id, summary }) => ({ name: id, title: summary }));
      const { name } = await pickRow(deps.person, "Server", { rows });
      return install(name, { args: [], env: [], yes: false, force: false });
    },
    configure: (name, options) => configure(deps, name, options),
  };
}

async function add(deps: McpServersDeps, options: McpAddOptions): Promise<McpAdded> {
  const { name, force } = options;
  checkName(name, deps.entries());
  const draft = await draftOf(deps, options);
  const outcome = await tryOut(deps, draft);
  const oauth = draft.written["auth"] === "oauth";
  if (!outcome.ok && !force && !oauth)
    return { name, saved: false, outcome, notes: ["--force saves it although it cannot be reached"] };
  const include = outcome.ok && !options.yes ? await chooseTools(deps, outcome.tools) : undefined;
  await save(deps, draft, include);
  if (!oauth || outcome.ok) return { name, saved: true, outcome, ...(include && { include }), notes: [] };
  return afterLogin(deps, draft, force);
}

/** The server is known now, so that a person can log in to it. */
async function afterLogin(deps: McpServersDeps, draft: Draft, force: boolean): Promise<McpAdded> {
  const { name } = draft;
  const loggedIn = deps.person !== undefined && (await deps.login(name));
  const outcome = loggedIn ? await tryOut(deps, draft) : NOT_LOGGED_IN;
  const left = [`agent mcp login ${name} logs in`];
  if (outcome.ok || force || deps.person === undefined)
    return { name, saved: true, outcome, notes: outcome.ok ? [] : left };
  await deps.keep([{ key: `mcp_servers.${name}` }]);
  return { name, saved: false, outcome, notes: ["--force saves it without a login"] };
}

const NOT_LOGGED_IN: McpTestOutcome = { ok: false, connect_ms: 0, tools: [], error: "not logged in" };

/** @throws E_USAGE, E_CONFLICT */
function checkName(name: string, entries: Written): void {
  if (!NAME.test(name))
    throw new AppError("E_USAGE", `'${name}' cannot be the name of an MCP server`, {
      name,
      hint: "use lowercase letters, digits, _ and -, at most 64, beginning with a letter or digit",
    });
  if (name in entries)
    throw new AppError("E_CONFLICT", `an MCP server '${name}' is already configured`, {
      name,
      hint: `agent mcp configure ${name} changes it, agent mcp remove ${name} removes it`,
    });
}

async function draftOf(deps: McpServersDeps, options: McpAddOptions): Promise<Draft> {
  const { name, env, parallel } = options;
  const preset = options.preset === undefined ? undefined : presetOf(options.preset);
  const url = options.url ?? preset?.entry.url;
  const command = options.command ?? (options.url === undefined ? preset?.entry.command : undefined);
  if (url !== undefined && command !== undefined)
    throw new AppError("E_USAGE", "pass either --url or a program, not both");
  if (url === undefined && command === undefined)
    throw new AppError("E_USAGE", "missing server: pass --url U, --command C or a program after --", {
      hint: `agent mcp add ${name} -- npx -y some-server`,
    });
  refuseMisfits(options, url);
  const secrets: Record<string, string> = {};
  const header = options.auth === "header" ? options.header : options.auth === undefined ? preset?.header : undefined;
  const headers = header === undefined ? undefined : await headersOf(deps, name, header, secrets);
  const args = [...(preset?.entry.args ?? []), ...(await argumentsOf(deps, options, preset))];
  const variables = await variablesOf(deps, name, env, secrets);
  const written: Record<string, unknown> = {
    ...(url === undefined ? { command, ...(args.length > 0 && { args }) } : { url }),
    ...(Object.keys(variables).length > 0 && { env: variables }),
    ...(headers !== undefined && { headers }),
    ...(options.transport === "sse" && { transport: "sse" }),
    ...(options.auth === "oauth" && { auth: "oauth" }),
    ...(parallel && { supports_parallel_tool_calls: true }),
  };
  return { name, written, secrets };
}

function refuseMisfits({ auth, transport, env, args }: McpAddOptions, url: string | undefined): void {
  const wrong =
    url === undefined
      ? auth !== undefined
        ? "--auth"
        : transport !== undefined
          ? "--transport"
          : undefined
      : env.length > 0
        ? "--env"
        : args.length > 0
          ? "--args"
          : undefined;
  if (wrong === undefined) return;
  const only = url === undefined ? "a server with --url" : "a server that is started as a program";
  throw new AppError("E_USAGE", `${wrong} applies to ${only}`);
}

/** @throws E_NOT_FOUND */
function presetOf(id: string): McpCatalogEntry {
  const found = MCP_CATALOG.find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new AppError("E_NOT_FOUND", `the catalogue has no MCP server '${id}'`, {
    id,
    hint: `agent mcp catalog lists them: ${MCP_CATALOG.map((one) => one.id).join(", ")}`,
  });
}

async function argumentsOf(
  { person }: McpServersDeps,
  { args }: McpAddOptions,
  preset: McpCatalogEntry | undefined,
): Promise<readonly string[]> {
  if (args.length > 0 || preset?.asksArgs === undefined) return args;
  if (person === undefined)
    throw new AppError("E_USAGE", `${preset.id} needs arguments: ${preset.asksArgs}`, {
      hint: `agent mcp install ${preset.id} --args ...`,
    });
  const given = await askUntilValid(person, { ask: preset.asksArgs });
  return (given ?? "").split(/\s+/).filter((word) => word !== "");
}

/** Name of the variable of `.env` that holds a secret of a server. */
const variableFor = (name: string, what: string): string =>
  `MCP_${name}_${what}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_");

async function headersOf(
  deps: McpServersDeps,
  name: string,
  header: string,
  secrets: Record<string, string>,
): Promise<Readonly<Record<string, string>>> {
  if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/.test(header))
    throw new AppError("E_USAGE", `'${header}' cannot be the name of a header`);
  const [scheme, value] = schemeIn(await secretValue(deps, `Value of ${header} for ${name} (hidden): `), header);
  const variable = variableFor(name, "TOKEN");
  secrets[variable] = value;
  return { [header]: `${scheme}\${${variable}}` };
}

/** `Bearer x` and `Basic x` keep their word; a bare token of `Authorization` is a bearer token. */
function schemeIn(value: string, header: string): readonly [scheme: string, value: string] {
  const [, scheme = "", rest = ""] = /^(\S+) +(\S.*)$/.exec(value) ?? [];
  if (scheme !== "") return [`${scheme} `, rest];
  return [header.toLowerCase() === "authorization" ? "Bearer " : "", value];
}

/** `K=V` as it stands unless K is a secret's name; else a reference to `.env`, which gets the value. */
async function variablesOf(
  deps: McpServersDeps,
  name: string,
  given: readonly string[],
  secrets: Record<string, string>,
): Promise<Readonly<Record<string, string>>> {
  const variables: Record<string, string> = {};
  for (const word of given) {
    const at = word.indexOf("=");
    const key = at < 0 ? word : word.slice(0, at);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) throw new AppError("E_USAGE", `--env: '${key}' cannot be a variable`);
    const value = at < 0 ? await secretValue(deps, `Value of ${key} for ${name} (hidden): `) : word.slice(at + 1);
    const refers = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}$/.test(value);
    if (refers || (at >= 0 && !isSecretVariable(key))) {
      variables[key] = value;
      continue;
    }
    const variable = variableFor(name, key);
    secrets[variable] = value;
    variables[key] = `\${${variable}}`;
  }
  return variables;
}

const isSecretVariable = (name: string): boolean =>
  isSecretName(name) || /(^|_)(KEY|PASS|AUTH|CREDENTIALS?|PAT|DSN)$/i.test(name);

async function secretValue({ hidden, signal }: McpServersDeps, question: string): Promise<string> {
  const value = (await hidden(question)).trim();
  if (signal.aborted) throw new AppError("E_INTERRUPTED", "cancelled; nothing was saved");
  if (/^[\u0020-\u007e]{1,8192}$/.test(value)) return value;
  throw new AppError("E_USAGE", value === "" ? "missing value" : "the value must be one line of printable ASCII", {
    hint: "type it at the prompt, or write it to standard input",
  });
}

/** Connect as a turn would, with what would be saved. @throws E_USAGE for an entry that is not valid */
async function tryOut(
  { mcp, env, signal }: McpServersDeps,
  { name, written, secrets }: Draft,
): Promise<McpTestOutcome> {
  return mcp.probe(name, validEntry(name, written, { ...env, ...secrets }), signal);
}

function validEntry(name: string, written: Written, env: McpServersDeps["env"]): McpEntry {
  const read = readMcpEntry(name, written, env);
  if (read.ok) return read.entry;
  throw new AppError("E_USAGE", `${name}: ${read.error}`);
}

async function save(
  { keep }: McpServersDeps,
  { name, written, secrets }: Draft,
  include?: readonly string[],
): Promise<void> {
  const entry = include === undefined ? written : { ...written, tools: { include } };
  const variables = Object.entries(secrets).map(([key, text]): SettingChange => ({ key, text }));
  // Variables first: the owner reads the entry when it is written, and expands it then.
  await keep([...variables, { key: `mcp_servers.${name}`, text: JSON.stringify(entry), typed: true }]);
}

/** Names of the tools that a person chose; undefined: all of them. */
async function chooseTools(
  { person }: McpServersDeps,
  tools: readonly McpToolInfo[],
  usual = "all",
): Promise<readonly string[] | undefined> {
  const own = tools.filter(({ remote }) => remote !== "");
  if (person === undefined || own.length === 0) return undefined;
  for (const [at, { remote, description }] of own.entries())
    await person.say(
      `  ${String(at + 1).padStart(3)}  ${remote}  ${(description.split("\n")[0] ?? "").slice(0, 80)}`.trimEnd(),
    );
  let chosen: readonly string[] | undefined;
  const answer = await askUntilValid(person, {
    ask: "Tools to enable (numbers, 1-3, names, all, none)",
    kept: usual,
    problem: (text) => {
      const found = selected(text, own);
      chosen = typeof found === "string" ? undefined : found;
      return typeof found === "string" ? found : undefined;
    },
  });
  if (answer === undefined || chosen?.length === own.length) return undefined;
  return chosen;
}

/** The tools that an answer names, in their order, or what is wrong with it. */
function selected(text: string, tools: readonly McpToolInfo[]): readonly string[] | string {
  if (/^all$/i.test(text)) return tools.map(({ remote }) => remote);
  if (/^none$/i.test(text)) return [];
  const wanted = new Set<string>();
  for (const word of text.split(/[\s,]+/).filter((one) => one !== "")) {
    const [, from, to] = /^(\d+)(?:-(\d+))?$/.exec(word) ?? [];
    const named = tools.filter(({ remote, name }) => remote === word || name === word);
    const range = from === undefined ? named : tools.slice(Number(from) - 1, Number(to ?? from));
    if (range.length === 0 || Number(from) === 0)
      return `unknown tool ${word}: enter numbers from 1 to ${tools.length}, or names.`;
    for (const { remote } of range) wanted.add(remote);
  }
  return tools.map(({ remote }) => remote).filter((remote) => wanted.has(remote));
}

async function configure(deps: McpServersDeps, name: string, options: McpConfigureOptions): Promise<McpAdded> {
  const written = deps.entries()[name];
  if (!isRecord(written) || name.includes("."))
    throw new AppError("E_NOT_FOUND", `no MCP server '${name}' is configured`, { hint: "agent mcp list lists them" });
  const { tools, all, approve, parallel, timeout } = options;
  const others = approve !== undefined || parallel !== undefined || timeout !== undefined;
  const asks = tools === undefined && !all && !others;
  if (asks && deps.person === undefined)
    throw new AppError("E_USAGE", "nothing to change: pass --tools, --all, --approve, --parallel or --timeout");
  const { tools: toolsNow, ...rest } = written;
  const filters = isRecord(toolsNow) ? toolsNow : {};
  const { include: _include, exclude: _exclude, ...open } = filters;
  const outcome = await tryOut(deps, { name, written: { ...rest, tools: open }, secrets: {} });
  if (!outcome.ok && (asks || tools !== undefined))
    return { name, saved: false, outcome, notes: ["its tools are not known, so none can be chosen"] };
  const include = asks ? await chooseTools(deps, outcome.tools) : tools && namedTools(tools, outcome.tools);
  const chosen = asks || all || tools !== undefined;
  const filter = !chosen ? filters : include === undefined ? open : { ...open, include };
  const entry = {
    ...rest,
    ...(Object.keys(filter).length > 0 && { tools: filter }),
    ...(approve !== undefined && { approve }),
    ...(parallel !== undefined && { supports_parallel_tool_calls: parallel }),
    ...(timeout !== undefined && { timeout }),
  };
  validEntry(name, entry, deps.env);
  await deps.keep(changesBetween(name, written, entry));
  return { name, saved: true, outcome, ...(include && { include }), notes: [] };
}

/** Only what differs is written, so that comments within the entry stay. */
function changesBetween(name: string, before: Written, after: Written): readonly SettingChange[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key): readonly SettingChange[] => {
    const value = after[key];
    if (JSON.stringify(value) === JSON.stringify(before[key])) return [];
    const path = `mcp_servers.${name}.${key}`;
    return [value === undefined ? { key: path } : { key: path, text: JSON.stringify(value), typed: true }];
  });
}

/** @throws E_USAGE for a tool that the server does not have */
function namedTools(names: readonly string[], tools: readonly McpToolInfo[]): readonly string[] {
  return names.map((wanted) => {
    const found = tools.find(({ remote, name }) => remote === wanted || name === wanted);
    if (found !== undefined) return found.remote;
    throw new AppError("E_USAGE", `the server has no tool '${wanted}'`, {
      tool: wanted,
      hint: `its tools: ${tools
        .map(({ remote }) => remote)
        .filter((one) => one !== "")
        .join(", ")}`,
    });
  });
}
