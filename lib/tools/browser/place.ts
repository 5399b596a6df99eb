import { join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { findBrowser } from "../../base/process/find-browser.js";
import { isProgram } from "../../base/process/program-path.js";
import type { BrowserApi, BrowserPlace } from "../../contracts/browser/browser.js";
import { BROWSER } from "../../contracts/browser/keys.js";
import { lineageOf } from "../core/caged.js";
import type { Effects, ToolContext, ToolPlace } from "../core/define.js";

/** Files of the browser lie beside the large results of the conversation, where read_file and search_files reach them. */
export function toBrowserPlace(ctx: ToolContext): BrowserPlace {
  const lineage = lineageOf(ctx);
  const results = ctx.resultDir ?? join(ctx.home.cache, "results", lineage);
  return { lineage, session: ctx.session, dir: join(results, "browser") };
}

/** Programs that were found, by the settings that found them: looking through the PATH is paid once. */
const found = new Map<string, string>();
const FOUND_KEPT = 16;

/** Why the tools of the browser are not offered; true: there is a browser. */
export async function hasBrowser(place: ToolPlace): Promise<true | string> {
  const here = isBrowserHere(place);
  const { browser } = place.outside ?? {};
  return here === true || browser === undefined ? here : await askForBrowser(place, browser);
}

/** Answers for the place that is being asked about: every tool of the browser asks the same. */
const asked = new WeakMap<ToolPlace, Promise<true | string>>();

/** A person may have connected one, or a plugin may bring one, where this machine is without. */
function askForBrowser(place: ToolPlace, browser: Pick<BrowserApi, "status">): Promise<true | string> {
  const before = asked.get(place);
  if (before !== undefined) return before;
  const answer = browser.status().then(
    ({ kind, why }) => (kind === "none" ? (why ?? "no browser") : true),
    (error: unknown) => toAppError(error).message, // the owner of a worker cannot be asked
  );
  asked.set(place, answer);
  return answer;
}

/** The settings name a browser, or the PATH has one. */
function isBrowserHere({ env, config }: ToolPlace): true | string {
  const engine = config.get(BROWSER.engine);
  if (config.get(BROWSER.cdpUrl) !== "" || (engine !== "auto" && engine !== "local")) return true;
  const executable = config.get(BROWSER.executable);
  const key = `${executable}\0${env["PATH"] ?? ""}\0${env["HOME"] ?? ""}`;
  const known = found.get(key);
  if (known !== undefined && isProgram(known)) return true;
  const looked = findBrowser(executable, env);
  if ("why" in looked) return looked.why;
  if (found.size >= FOUND_KEPT) found.clear();
  found.set(key, looked.program);
  return true;
}

/** There is one page at a time: calls of one conversation run one after the other. */
export const browserEffects = (): Effects => ({ reads: ["net"], writes: ["browser"] });

/** A command has its own limit, `browser.command_timeout`, at most 600 s; starting a browser comes on top. */
export const BROWSER_LIMITS = { ms: 660_000, chars: 12_000 } as const;
