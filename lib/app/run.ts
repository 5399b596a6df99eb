import type { Run } from "../backplane/methods.js";
import type { CommandEntry } from "../commands/entry.js";
import type { App } from "./app.js";
import { execute } from "./cli/execute.js";
import type { RpcServices } from "./rpc.js";

/** The services of an app as commands see them. */
export function services(app: App): RpcServices {
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
    log: options.log.child("cli"),
  };
}

/** Execute the command lines that clients send. */
export function runWith(app: App, entries: readonly CommandEntry[]): Run {
  return async (request, io) => {
    const exit = await execute(
      {
        ...services(app),
        argv: request.argv,
        shared: true,
        cwd: request.cwd,
        env: request.env,
        columns: request.columns,
        color: request.color,
        tty: request.is_tty,
        ...(request.pid === undefined ? {} : { pid: request.pid }),
        signal: io.interrupted,
        gone: io.gone,
        out: (text) => io.out(text),
        err: (text) => io.err(text),
        stdin: (maxBytes, hidden) => io.stdin(maxBytes, hidden),
        pipeExit: (code) => io.pipeExit(code),
      },
      entries,
    );
    return { exit };
  };
}
