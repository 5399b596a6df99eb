import type { Client } from "../../lib/backplane/client.js";
import type { Message } from "../model/messages.js";

/** Shows a command that goes on by itself. One at a time: another one ends the first. */
export interface Follower {
  /** Resolves when the command has ended. */
  begin(id: number, argv: readonly string[]): Promise<void>;
  stop(): void;
}

interface FollowOptions {
  readonly client: Client;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const SHOWN_LINES = 200;

export function createFollower({ client, cwd, env }: FollowOptions, send: (message: Message) => void): Follower {
  let stop: (() => void) | undefined;
  return {
    stop: () => stop?.(),
    begin: async (id, argv) => {
      stop?.();
      let shown = "";
      const show = async (text: string) => {
        shown = `${shown}${text}`
          .split("\n")
          .slice(-SHOWN_LINES - 1)
          .join("\n");
        send({ type: "command", id, text: shown.trimEnd(), failed: false });
      };
      const signals = (forward: (signal: "SIGINT") => void) => {
        const own = () => forward("SIGINT");
        stop = own;
        return () => {
          if (stop === own) stop = undefined;
        };
      };
      send({ type: "following", id });
      try {
        const line = { argv: [...argv], cwd, env: { ...env }, columns: 100, color: false, is_tty: false };
        await client.run(line, { out: show, err: show, signals });
      } finally {
        send({ type: "followed", id });
      }
    },
  };
}
