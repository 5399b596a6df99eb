import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCommandLine } from "../shell/open.js";
import { type Call, type ExecScope, operandPath, optionValues, toCall } from "../writes/operands.js";

const BYTES_AT_MOST = 256 * 1024;
const LEVELS_AT_MOST = 20;

/** Calls that a package manager starts for the script that its words name; none when the project has no such script. */
export function callsOfScript(call: Call, scope: ExecScope): readonly Call[] {
  const name = scriptNameOf(call);
  if (name === undefined) return [];
  const moved = optionValues(call, "-C", "--prefix", "--cwd", "--dir").map((word) => word.text);
  const start = operandPath(moved.at(-1) ?? ".", call.simple.cwd);
  const found = start === undefined ? undefined : nearestScripts(start);
  if (found === undefined) return [];
  return [`pre${name}`, name, `post${name}`].flatMap((one) => {
    const text = Object.hasOwn(found.scripts, one) ? found.scripts[one] : undefined;
    if (typeof text !== "string") return [];
    const place = { cwd: found.dir, userHome: scope.userHome, agentHome: scope.home.dir };
    return readCommandLine(text, place).commands.map((simple) =>
      toCall({ ...simple, under: [...simple.under, call.program] }),
    );
  });
}

function scriptNameOf(call: Call): string | undefined {
  const [verb = "", name] = call.positionals.map((word) => word.text);
  if (/^node(js)?$/.test(call.program)) return optionValues(call, "--run")[0]?.text;
  if (!/^(npm|pnpm|yarn|bun)$/.test(call.program)) return undefined;
  if (/^(run|run-script|rum|urn|ru|run-s\w*)$/.test(verb)) return name;
  if (/^(t|tst|test|start|stop|restart)$/.test(verb)) return /^t/.test(verb) ? "test" : verb;
  return call.program === "npm" ? undefined : verb;
}

/** Scripts of the nearest package.json, upwards. */
function nearestScripts(
  start: string,
): { readonly dir: string; readonly scripts: Readonly<Record<string, unknown>> } | undefined {
  let dir = start;
  for (let level = 0; level < LEVELS_AT_MOST; level++) {
    const scripts = readScripts(join(dir, "package.json"));
    if (scripts !== undefined) return { dir, scripts };
    if (dirname(dir) === dir) return undefined;
    dir = dirname(dir);
  }
  return undefined;
}

function readScripts(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const facts = statSync(path);
    if (!facts.isFile() || facts.size > BYTES_AT_MOST) return undefined;
    const read: unknown = JSON.parse(readFileSync(path, "utf8"));
    const scripts = typeof read === "object" && read !== null && "scripts" in read ? read.scripts : {};
    return typeof scripts === "object" && scripts !== null ? { ...scripts } : {};
  } catch {
    return undefined; // absent, or no JSON: the package manager runs nothing of it
  }
}
