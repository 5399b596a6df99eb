import type { ExecuteLine } from "../../backplane/methods.js";
import { AppError } from "../../base/errors.js";
import { execute } from "../../cli/execute-command.js";
import type { CommandServices } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import type { SetupControl } from "../../contracts/config/setup.js";
import type { DesktopControl } from "../../contracts/desktop/control.js";
import type { GatewayControl } from "../../contracts/gateway/control.js";
import { NO_HOOK_PROGRAMS } from "../../contracts/hooks/hooks-api.js";
import type { McpControl } from "../../contracts/mcp/served.js";
import { chatOfClient } from "./client-chat.js";
import type { OwnerServices } from "./owner-services.js";

const notHere = async (): Promise<never> => {
  throw new AppError("E_STATE", "this runs in its own process", { hint: "run it in a shell" });
};

const GATEWAYS_ELSEWHERE: GatewayControl = {
  run: notHere,
  start: notHere,
  stop: notHere,
  restart: notHere,
  list: notHere,
  status: notHere,
  statusAll: notHere,
  install: notHere,
  uninstall: notHere,
  login: notHere,
  setup: notHere,
};

const SETUP_ELSEWHERE: SetupControl = { run: notHere, fallback: notHere, auth: notHere };

const MCP_ELSEWHERE: McpControl = {
  add: notHere,
  install: notHere,
  pick: notHere,
  configure: notHere,
  serve: notHere,
};

const DESKTOP_ELSEWHERE: DesktopControl = { status: notHere, install: notHere, drive: notHere };

/** The services of an app as commands see them. */
export function services(app: OwnerServices): CommandServices {
  const {
    options,
    auth,
    board,
    chat,
    settings,
    owner,
    profiles,
    modelsApi,
    checkpoints,
    languageServers,
    mcp,
    dashboard,
    proxy,
    cron,
    gateway,
    plugins,
    skills,
    memory,
    browser,
    voice,
    runtimes,
    runtime,
  } = app;
  return {
    home: options.home,
    auth,
    board,
    chat,
    config: options.config,
    settings,
    owner,
    profiles,
    models: modelsApi,
    checkpoints,
    languageServers,
    mcp,
    hooks: options.shellHooks ?? NO_HOOK_PROGRAMS,
    dashboard,
    proxy,
    cron,
    gateway,
    gateways: GATEWAYS_ELSEWHERE,
    setup: SETUP_ELSEWHERE,
    mcpControl: MCP_ELSEWHERE,
    desktopControl: DESKTOP_ELSEWHERE,
    shell: {
      run: async (...given) => (await import("../../runtime/person-shell.js")).createPersonShell(options).run(...given),
    },
    plugins,
    skills,
    memory,
    browser,
    voice,
    runtimes,
    ...(runtime !== undefined && { runtime }),
    log: options.log.child("cli"),
  };
}

/** Execute the command lines that clients send. */
export function runWith(app: OwnerServices, entries: readonly CommandEntry[]): ExecuteLine {
  const under = new Map<string, Promise<unknown>>();
  const once = runOnce(app, entries);
  return async (request, io) => {
    const { line } = io;
    if (line === undefined) return await once(request, io);
    await under.get(line.key); // only the connection was lost: what the first of them does is seen by the second
    const mine = once(request, io).finally(() => under.delete(line.key));
    under.set(line.key, mine);
    return await mine;
  };
}

function runOnce(app: OwnerServices, entries: readonly CommandEntry[]): ExecuteLine {
  return async (request, io) => {
    const exit = await execute(
      {
        ...services(app),
        chat: chatOfClient(app.chat, io.client),
        argv: request.argv,
        shared: true,
        safeOwner: app.options.safeMode === true,
        cwd: request.cwd,
        env: request.env,
        columns: request.columns,
        color: request.color,
        tty: request.is_tty,
        ...(request.pid === undefined ? {} : { pid: request.pid }),
        line: io.line,
        fromTool: io.client.fromTool,
        signal: io.interrupted,
        gone: io.gone,
        out: (text) => io.out(text),
        err: (text) => io.err(text),
        bytes: (piece) => io.bytes(piece),
        stdin: (maxBytes, hidden) => io.stdin(maxBytes, hidden),
        pipeExit: (code) => io.pipeExit(code),
        reached: (cursor) => io.reached(cursor),
      },
      entries,
    );
    return { exit };
  };
}
