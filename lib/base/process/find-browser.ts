import { resolve } from "node:path";
import { expandTilde } from "../tilde.js";
import { isProgram, programOnPath } from "./program-path.js";

/** Names of Chromium and its kin, in the order in which they are taken. */
const NAMES = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "chrome",
  "microsoft-edge",
  "brave-browser",
] as const;

const MAC_PROGRAMS = [
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
] as const;

export type FoundBrowser = { readonly program: string } | { readonly why: string };

/** The browser of this machine: the one that the settings name, else the first on the PATH. A few looks at the disk. */
export function findBrowser(executable: string, env: Readonly<Record<string, string | undefined>>): FoundBrowser {
  if (executable !== "") {
    const path = executable.includes("/")
      ? resolve(expandTilde(executable, env["HOME"] ?? "/"))
      : programOnPath(executable, env["PATH"]);
    if (path !== undefined && isProgram(path)) return { program: path };
    return { why: `browser.executable names ${executable}, which is not a program` };
  }
  for (const name of NAMES) {
    const program = programOnPath(name, env["PATH"]);
    if (program !== undefined) return { program };
  }
  const mac = MAC_PROGRAMS.find(isProgram);
  if (mac !== undefined) return { program: mac };
  return { why: "no Chromium or Chrome on the PATH; install one, or set browser.executable or browser.cdp_url" };
}
