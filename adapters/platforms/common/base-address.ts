import { AppError } from "../../../lib/base/errors.js";

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Whether an address (http or websocket) leads to this machine alone. */
export const isLoopback = (url: string): boolean => URL.canParse(url) && LOOPBACK.test(new URL(url).hostname);

/**
 * A configured base address, without a slash at its end (gateway part, 2.4).
 * @throws E_CONFIG naming the setting, for an address other than http, and for one that is not encrypted and leads elsewhere
 */
export function baseAddress(name: string, given: string, insecure: boolean): string {
  const wrong = (why: string) =>
    new AppError("E_CONFIG", `${name} ${why}`, { key: name, hint: "change it in .env or config.yaml" });
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw wrong(`is not an http URL: ${given}`);
  if (url.username !== "" || url.password !== "")
    throw wrong("holds a name or password: put credentials into their own settings");
  if (url.protocol === "http:" && !insecure && !isLoopback(given)) {
    throw wrong("is not encrypted: use https, or set gateway.allow_insecure_api_base");
  }
  return given.replace(/\/+$/, "");
}
