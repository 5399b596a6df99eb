import { AppError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import type { ListenForCallback, TakeCallback } from "../logins/flows/flow.js";
import { closeServer } from "./close.js";
import { guard } from "./guard.js";
import { createHttpServer, type HttpRequest, type HttpResponse, headOf, listenOn } from "./listener.js";

const HOST = "127.0.0.1";
const PATH = "/callback";
const RULES = { local: true, pages: false, bindHost: HOST, ownAddresses: [], allowedHosts: [], allowedOrigins: [] };

/** Where a browser that was sent to log in comes back to: one path on this machine, for as long as the login waits. */
export const callbackListener =
  (clock: Clock): ListenForCallback =>
  async (wanted, take) => {
    const server = createHttpServer((request, response) => answer(request, response, take));
    const port = await listenOn(server, HOST, wanted).catch((error: unknown) => {
      if (error instanceof AppError && error.code === "E_CONFIG") return listenOn(server, HOST, 0); // it is taken
      throw error;
    });
    return { url: `http://${HOST}:${port}${PATH}`, close: () => closeServer(server, 500, clock) };
  };

function answer(request: HttpRequest, response: HttpResponse, take: TakeCallback): void {
  const head = headOf(request);
  // The browser comes from the vendor's page: where it comes from says nothing, which name it asks for does.
  const headers = head.headers.filter(([name]) => !["origin", "sec-fetch-site"].includes(name.toLowerCase()));
  const verdict = guard({ ...head, headers }, RULES);
  const [path, query = ""] = head.target.split("?");
  if (!verdict.ok) page(response, verdict.status, verdict.message);
  else if (path !== PATH) page(response, 404, "Nothing here.");
  else if (head.method !== "GET") page(response, 405, "This page only accepts GET.");
  else {
    const { ok, text } = take(new URLSearchParams(query));
    page(response, ok ? 200 : 400, text);
  }
}

function page(response: HttpResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "content-security-policy": "default-src 'none'",
    "x-content-type-options": "nosniff",
    connection: "close",
  });
  response.end(`<!doctype html><meta charset="utf-8"><title>agent</title><p>${text}</p>\n`);
}
