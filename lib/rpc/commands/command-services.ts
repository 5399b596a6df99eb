import type { ExecuteLine } from "../../backplane/methods.js";
import { lazily } from "../../base/async/lazy.js";
import { AppError } from "../../base/errors.js";
import { execute } from "../../cli/execute-command.js";
import type { CommandServices } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import type { SetupControl } from "../../contracts/config/setup.js";
import type { GatewayControl } from "../../contracts/gateway/control.js";
import { createPersonShell } from "../../runtime/person-shell.js";
import { chatOfClient } from "./client-chat.js";
import type { OwnerServices } from "./owner-services.js";

const notHere = async (): Promise<never> => {
  throw new AppError("E_STATE", "this runs in a process of its own", { hint: "repeat it in a shell" });
};

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
    dashboard,
    proxy,
    cron,
    gateway,
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
    dashboard,
    proxy,
    cron,
    gateway,
    gateways: lazily<GatewayControl>(notHere),
    setup: lazily<SetupControl>(notHere),
    shell: createPersonShell(options),
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
