import { programOnPath } from "../../base/process/program-path.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What drives the desktop. */
export type DesktopBackend = "external" | "x11" | "noop";

/** The backend of a place, or why no backend is available. A few looks at the disk. */
export type ChosenBackend =
  | { readonly ok: true; readonly backend: DesktopBackend }
  | { readonly ok: false; readonly why: string };

const BACKENDS = ["auto", "external", "x11", "noop"];

/** `AGENT_COMPUTER_USE_BACKEND`: `auto` is the external driver on macOS, and X11 on Linux where a display and its programs are there. */
export function chooseDesktopBackend(env: Env, platform: string = process.platform): ChosenBackend {
  const wanted = (env["AGENT_COMPUTER_USE_BACKEND"] ?? "").trim().toLowerCase() || "auto";
  if (!BACKENDS.includes(wanted))
    return { ok: false, why: `unknown AGENT_COMPUTER_USE_BACKEND '${wanted}' (known: ${BACKENDS.join(", ")})` };
  if (wanted === "noop") return { ok: true, backend: "noop" };
  if (wanted === "external") return external(env, platform);
  if (wanted === "x11") return x11(env);
  if (platform === "darwin") return external(env, platform);
  if (platform === "linux") return x11(env);
  return { ok: false, why: `no desktop driver for ${platform}` };
}

function external(env: Env, platform: string): ChosenBackend {
  const [program = ""] = driverCommand(env, platform);
  if (program === "")
    return { ok: false, why: "AGENT_CUA_DRIVER_CMD is not set; it names the command of the external driver" };
  const found = program.includes("/") || programOnPath(program, env["PATH"]) !== undefined;
  return found
    ? { ok: true, backend: "external" }
    : { ok: false, why: `${program} is not on PATH; agent computer-use install shows how to install a driver` };
}

function x11(env: Env): ChosenBackend {
  if ((env["DISPLAY"] ?? "") === "") return { ok: false, why: "DISPLAY is not set; no X11 display can be reached" };
  const missing = missingPrograms(env);
  return missing.length === 0
    ? { ok: true, backend: "x11" }
    : {
        ok: false,
        why: `${missing.join(" and ")} not found on PATH; agent computer-use install installs what is missing`,
      };
}

/** Programs that the X11 driver needs and PATH does not have. */
export function missingPrograms(env: Env): readonly string[] {
  const has = (name: string): boolean => programOnPath(name, env["PATH"]) !== undefined;
  return [...(has("xdotool") ? [] : ["xdotool"]), ...(has("import") || has("scrot") ? [] : ["import (ImageMagick)"])];
}

/** Words of the external driver's command; `mcp` follows a bare program name. Empty: none is named. */
export function driverCommand(env: Env, platform: string = process.platform): readonly string[] {
  const given = (env["AGENT_CUA_DRIVER_CMD"] ?? "").trim();
  const words = splitWords(given === "" && platform === "darwin" ? "cua-driver" : given);
  return words.length === 1 && words[0] !== "" ? [...words, "mcp"] : words;
}

/** Words of a command line: blanks part them, quotes keep blanks. No shell reads it. */
function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? [];
  return words.map((word) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double: string, single: string) => double ?? single),
  );
}
