import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { Child, Spawner, SpawnSpec } from "../../lib/base/process/spawn.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import type { ServerDefinition } from "./definition.js";
import { createDocuments, type Documents, syncOf } from "./documents.js";
import type { Finding } from "./findings.js";
import { lookAt } from "./look.js";
import { createPulls, type Pulls } from "./pulls.js";
import { type Answer, connectRpc, fieldOf, type Rpc, RpcError } from "./rpc.js";

/** Core part, 19.1. */
const INITIALIZE_MS: Ms = 45_000;
const SHUTDOWN_MS: Ms = 2_000;
const EXIT_MS: Ms = 1_000;

/** What one server is started with. */
export interface Launch {
  readonly definition: ServerDefinition;
  readonly root: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** `initializationOptions`. */
  readonly options: Readonly<Record<string, unknown>>;
  /** Puts the server into a cage; absent: it runs without. @throws E_STATE it cannot, and has to */
  readonly cage?: (spec: SpawnSpec) => Promise<SpawnSpec>;
}

export interface ClientPorts {
  readonly spawner: Spawner;
  readonly clock: Clock;
}

/** One running language server. */
export interface LanguageClient {
  readonly launch: Launch;
  readonly child: Child;
  readonly documents: Documents;
  /** Errors in the current version of an open file. */
  look(path: string, until: Ms, signal: AbortSignal): Promise<readonly Finding[]>;
  /** Ask it to end, then end it with everything it started. Harmless twice. */
  stop(): Promise<void>;
}

/** A process that was started; `ready` once it has answered `initialize`. */
export interface Starting {
  readonly child: Child;
  readonly ready: Promise<LanguageClient>;
  /** Called once with the reason when it is of no use any more. */
  onEnd(listener: (reason: string) => void): void;
  /** End it at once. */
  kill(): Promise<void>;
}

/** @throws the system's error when the program cannot be started */
export async function startClient(launch: Launch, ports: ClientPorts): Promise<Starting> {
  const [file = "", ...args] = launch.command;
  const spec: SpawnSpec = {
    file,
    args,
    cwd: launch.root,
    env: launch.env,
    stdin: "pipe",
    stderr: "ignore",
    endsWithOwner: true,
  };
  const child = await ports.spawner.spawn((await launch.cage?.(spec)) ?? spec);
  const pulls = createPulls();
  const rpc = connectRpc(child, ports.clock, {
    answer: answerer(launch, pulls),
    notified: (method, params) => {
      if (method === "textDocument/publishDiagnostics") documents?.pushed(params);
    },
  });
  let documents: Documents | undefined;
  const kill = async () => {
    await ports.spawner.endGroup(child.pid, 0);
  };
  const ready = (async () => {
    const answer = await rpc.request("initialize", initializeParams(launch), INITIALIZE_MS);
    const capabilities = fieldOf(answer, "capabilities");
    rpc.notify("initialized", {});
    pulls.take(capabilities);
    documents = createDocuments(launch.definition, rpc, syncOf(capabilities));
    return toClient(launch, ports, { child, rpc, documents, pulls, commands: commandsOf(capabilities) });
  })();
  ready.catch(() => undefined); // its waiter gets the error
  return { child, ready, kill, onEnd: (listener) => void rpc.onEnd(listener) };
}

interface Parts {
  readonly child: Child;
  readonly rpc: Rpc;
  readonly documents: Documents;
  readonly pulls: Pulls;
  readonly commands: ReadonlySet<string>;
}

function toClient(
  launch: Launch,
  ports: ClientPorts,
  { child, rpc, documents, pulls, commands }: Parts,
): LanguageClient {
  const { clock, spawner } = ports;
  let stopping: Promise<void> | undefined;
  return {
    launch,
    child,
    documents,
    look: async (path, until, signal) => {
      const document = documents.get(path);
      if (document === undefined) return [];
      return lookAt(document, { definition: launch.definition, rpc, clock, commands, pull: pulls }, until, signal);
    },
    stop: () => {
      stopping ??= stop(rpc, child, { spawner, clock });
      return stopping;
    },
  };
}

async function stop(rpc: Rpc, child: Child, { spawner, clock }: ClientPorts): Promise<void> {
  try {
    if (rpc.open) await rpc.request("shutdown", undefined, SHUTDOWN_MS);
  } catch {
    /* ok to lose: a server that does not answer is ended below anyway. */
  }
  rpc.notify("exit", undefined);
  child.closeInput();
  const late = new AbortController();
  await Promise.race([child.exited, clock.sleep(EXIT_MS, late.signal).catch(() => undefined)]);
  late.abort();
  await spawner.endGroup(child.pid, 0);
}

function initializeParams({ root, options, cage }: Launch): object {
  const uri = pathToFileURL(root).href;
  return {
    processId: cage === undefined ? process.pid : null, // a server ends when it cannot see that process
    clientInfo: { name: "agent" },
    rootPath: root,
    rootUri: uri,
    workspaceFolders: [{ uri, name: basename(root) }],
    initializationOptions: options,
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      window: { workDoneProgress: true },
      workspace: {
        configuration: true,
        workspaceFolders: true,
        didChangeWatchedFiles: { dynamicRegistration: true },
        diagnostics: { refreshSupport: true },
      },
      textDocument: {
        synchronization: { didSave: true, dynamicRegistration: false },
        publishDiagnostics: { relatedInformation: false, versionSupport: true },
        diagnostic: { dynamicRegistration: true, relatedDocumentSupport: false },
      },
    },
  };
}

function commandsOf(capabilities: unknown): ReadonlySet<string> {
  const commands = fieldOf(fieldOf(capabilities, "executeCommandProvider"), "commands");
  return new Set(Array.isArray(commands) ? commands.filter((one) => typeof one === "string") : []);
}

const METHOD_NOT_FOUND = -32_601;

/** Answers to what servers ask. */
function answerer({ root, options }: Launch, pulls: Pulls): Answer {
  return (method, params) => {
    switch (method) {
      case "window/workDoneProgress/create":
        return null;
      case "workspace/configuration":
        return configuration(params, options);
      case "workspace/workspaceFolders":
        return [{ uri: pathToFileURL(root).href, name: basename(root) }];
      case "client/registerCapability":
        return pulls.register(params);
      case "client/unregisterCapability":
        return pulls.unregister(params);
      case "workspace/diagnostic/refresh":
        return pulls.refresh();
      default:
        throw new RpcError(METHOD_NOT_FOUND, `${method} is not supported`);
    }
  };
}

/** Servers ask for their settings by section; the options of the settings serve as such. */
function configuration(params: unknown, options: Readonly<Record<string, unknown>>): readonly unknown[] {
  const items = fieldOf(params, "items");
  if (!Array.isArray(items)) return [];
  return items.map((item: unknown) => {
    const section = fieldOf(item, "section");
    if (typeof section !== "string" || section === "") return options;
    return section.split(".").reduce<unknown>((value, name) => fieldOf(value, name), options) ?? null;
  });
}
