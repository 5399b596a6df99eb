import { openCallbackSocket } from "../../backplane/callback/door.js";
import { distFile } from "../../base/fs/dist.js";
import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { CallbackSocket, CallbackTools } from "../../contracts/runtimes/callback.js";
import { CALLBACK_BOARD, CALLBACK_SOCKET } from "../../contracts/runtimes/callback-wire.js";
import type { CallbackEntry } from "../../contracts/runtimes/runtime.js";

export interface CallbackParts {
  readonly home: Home;
  readonly log: Log;
  /** `callbackTools().tools` of the conversation. */
  readonly tools: CallbackTools;
  /** Environment of the front end or worker: the variables of the board are passed on, nothing else. */
  readonly env: Readonly<Record<string, string>>;
}

export interface OpenedCallback {
  readonly door: CallbackSocket;
  /** For `RuntimePlace.callback`. */
  readonly entry: CallbackEntry;
}

/**
 * Open the door through which the program of one conversation reaches our tools. Close it with the conversation.
 *
 * @throws E_OWNER when no private directory for the socket can be made
 */
export async function openCallback({ home, log, tools, env }: CallbackParts): Promise<OpenedCallback> {
  const door = await openCallbackSocket({ home, log: log.child("callback"), tools });
  const board = CALLBACK_BOARD.flatMap((name) => (env[name] ? [[name, env[name]] as const] : []));
  return {
    door,
    entry: {
      command: process.execPath,
      args: [distFile("agent.cjs"), "mcp-callback"],
      env: { AGENT_HOME: home.dir, [CALLBACK_SOCKET]: door.socket, ...Object.fromEntries(board) },
    },
  };
}
