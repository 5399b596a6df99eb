import type { Log } from "../../../lib/base/log/log.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";
import { shown } from "./failures.js";

type Params = Readonly<Record<string, unknown>>;

/** What the program tells besides its turns: warnings of its settings, MCP servers that did not start. */
export interface Notices {
  /** The host of the turn that gets notices from now on. */
  host(host: Pick<RuntimeHost, "notice">): void;
  /** False: the notification is of another kind. */
  notification(method: string, params: Params): boolean;
  /** A turn that the program began by itself was interrupted. */
  goalTurn(): void;
  /** Warnings of the settings, for a failure that may come from them; "" without any. */
  quoted(): string;
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");

export function createNotices(log: Log): Notices {
  let host: Pick<RuntimeHost, "notice"> | undefined;
  const warnings = new Set<string>();
  const warn = (words: string): void => host?.notice({ level: "warning", text: words, once: `app-server ${words}` });
  const logged = (method: string) => (params: Params) => {
    const words = text(params["message"]) || text(params["summary"]);
    log.info("app-server warns", { method, text: shown(words).slice(0, 500) });
  };
  const kinds: ReadonlyMap<string, (params: Params) => void> = new Map([
    [
      "configWarning",
      ({ summary, details }: Params) => {
        const words = shown([text(summary), text(details)].filter(Boolean).join(": "));
        warnings.add(words);
        warn(`app-server: ${words}`);
      },
    ],
    [
      "mcpServer/startupStatus/updated",
      ({ name, status, error }: Params) => {
        if (status !== "failed") return;
        warn(shown(`app-server: MCP server ${text(name)} failed to start: ${text(error) || "no reason given"}`));
      },
    ],
    ["warning", logged("warning")],
    ["guardianWarning", logged("guardianWarning")],
    ["deprecationNotice", logged("deprecationNotice")],
  ]);
  return {
    host: (now) => {
      host = now;
    },
    notification: (method, params) => {
      const take = kinds.get(method);
      take?.(params);
      return take !== undefined;
    },
    goalTurn: () =>
      warn(
        "the app-server began a turn of its own for its goal; it was interrupted, because it works here only when you ask: send a message to continue",
      ),
    quoted: () => (warnings.size === 0 ? "" : `\nit warned before: ${[...warnings].join("; ")}`),
  };
}
