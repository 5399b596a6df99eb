import { homedir } from "node:os";
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expandTilde } from "../../base/tilde.js";

/** The path that a person means: in quotes, with backslashes before blanks, or as an address; undefined: none that is possible. */
export function meantPath(given: string, cwd: string): string | undefined {
  const path = unquoted(given.trim());
  if (path === undefined) return undefined;
  const whole = expandTilde(path, homedir());
  return isAbsolute(whole) ? whole : resolve(cwd, whole); // not normalized: `..` after a link is for the system to follow
}

function unquoted(text: string): string | undefined {
  if (text.includes("\0")) return undefined;
  if (text.startsWith("file://")) return URL.canParse(text) ? fromAddress(text) : undefined;
  const quoted = /^'([^']*)'$|^"([^"]*)"$/.exec(text);
  return quoted?.[1] ?? quoted?.[2] ?? text.replace(/\\(.)/g, "$1");
}

function fromAddress(address: string): string | undefined {
  try {
    return fileURLToPath(address);
  } catch {
    return undefined; /* ok to lose: an address of another machine does not name a file here */
  }
}
