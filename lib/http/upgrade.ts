import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { ERRORS, type ErrorCode } from "../base/errors.js";
import { splitTarget } from "./admission.js";
import { belowBase } from "./base-path.js";
import { type GuardRules, guard } from "./guard.js";
import { type ErrorShape, headOf, refusalText } from "./listener.js";
import { guardRefusal } from "./reply.js";

/** A request to change protocols that is past the guard, and the connection that it came on. Who takes it owns the connection. */
export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What came behind the head already. */
  readonly first: Buffer;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Refuse it with an answer of HTTP. */
  refuse(status: number, code: ErrorCode, message: string): void;
}

/** What a path answers that speaks plain HTTP only. */
export const NO_SOCKET = "this path does not support protocol upgrades";

/** What decides about upgrades of a listener. */
export interface UpgradeRules {
  readonly rules: () => GuardRules;
  readonly basePath?: () => string;
  readonly shape: ErrorShape;
  /** Takes the connection. False: the path does not change protocols. What it throws costs the connection. */
  take(upgrade: Upgrade): boolean;
  /** What was thrown. */
  failed(error: unknown): void;
}

/** Have upgrades of a server pass the guard (a page of another site cannot open a WebSocket), then taken by the server of the path. */
export function serveUpgrades(server: Server, { rules, basePath, shape, take, failed }: UpgradeRules): void {
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, first: Buffer) => {
    socket.on("error", () => socket.destroy());
    const refuse = (status: number, code: ErrorCode, message: string) => {
      socket.end(
        refusalText(status, { code, message, hint: ERRORS[code].hint }, { "cache-control": "no-store" }, shape),
        () => socket.destroy(),
      );
    };
    const verdict = guard(headOf(request), rules());
    if (!verdict.ok) {
      const { code, message } = guardRefusal(verdict);
      refuse(verdict.status, code, message);
      return;
    }
    const { path: whole, query } = splitTarget(request.url ?? "");
    const path = belowBase(whole, basePath?.() ?? "");
    try {
      if (!take({ request, socket, first, path, query, refuse })) refuse(400, "E_INVALID", NO_SOCKET);
    } catch (error) {
      failed(error);
      socket.destroy();
    }
  });
}
