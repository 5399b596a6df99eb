import { readFileSync } from "node:fs";
import { AppError } from "../lib/base/errors.js";
import type { Home } from "../lib/base/home.js";
import type { UiMode } from "../tui/terminal/terminal.js";

type Env = Readonly<Record<string, string | undefined>>;

/** What decides about the front end. */
export interface Wanted {
  readonly home: Pick<Home, "config">;
  readonly env: Env;
  readonly globals: Readonly<Record<string, unknown>>;
  readonly stdin: boolean;
  readonly stdout: boolean;
}

/**
 * The whole screen, or line mode where the command line, the settings or the terminal ask for it. Line mode is plain lines where the output is no
 * terminal, or one that can not move its cursor, or is read aloud.
 *
 * @throws E_USAGE when the whole screen is wanted without a terminal for it
 */
export async function chooseUiMode({ home, env, globals, stdin, stdout }: Wanted): Promise<UiMode> {
  const display = globals["ignore_user_config"] === true ? {} : await displayOf(home);
  const dumb = env["TERM"] === "dumb";
  const read = display["screen_reader"] === true;
  if (globals["inline"] !== true && display["interface"] !== "inline" && !dumb && !read) {
    if (stdin && stdout) return "screen";
    throw new AppError("E_USAGE", "the workspace needs a terminal", {
      hint: "agent -z PROMPT runs one turn; agent --inline works line by line; agent --headless runs the owner without a screen",
    });
  }
  return stdin && stdout && !dumb && !read ? "lines" : "plain";
}

/** The settings are read by the owner; here only when the file names one of the two, so that the screen does not wait for a parser. */
async function displayOf({ config }: Pick<Home, "config">): Promise<Readonly<Record<string, unknown>>> {
  const text = textOf(config);
  if (!/^\s*["']?(interface|screen_reader)["']?\s*:/m.test(text)) return {};
  const { parse } = await import("yaml");
  try {
    const given: unknown = parse(text);
    const display = typeof given === "object" && given !== null && "display" in given ? given.display : undefined;
    return typeof display === "object" && display !== null ? { ...display } : {};
  } catch {
    return {}; /* ok to lose: the owner names what is wrong with the file */
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; /* ok to lose: without a file everything is as it comes */
  }
}
