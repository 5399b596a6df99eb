import { join } from "node:path";
import { UNKNOWN } from "../options/command-line.js";
import { findProgramEntry, INTERPRETERS, SHELLS } from "../options/programs.js";
import { type Call, hasFlag, operandPath, optionValues } from "../writes/operands.js";

/** What an interpreter call runs. */
export interface Scripts {
  /** Paths that it runs or loads, as they are written; each may be any of several files. */
  readonly files: readonly string[];
  /** Its program comes from its input. */
  readonly input: boolean;
}

const NOTHING: Scripts = { files: [], input: false };

/** Options that load a file before the program. */
const PRELOADS =
  "-f --file -r --require --import --loader --experimental-loader --test-reporter --rcfile --init-file --env-file --snapshot-blob -l -M -m --load --script -S -u --test-global-setup".split(
    " ",
  );
/** Options with which an interpreter runs no file. */
const OWN_TEXT = ["-e", "-E", "--eval", "-p", "--print", "--version", "-V", "--help"];

/** Files that an interpreter or a shell runs; undefined when the call is of another kind. */
export function scriptsOf(call: Call): Scripts | undefined {
  const { program } = call;
  if (/^(source|\.)$/.test(program))
    return { files: call.positionals.slice(0, 1).map((word) => word.text), input: false };
  if (SHELLS.has(program)) return shellScripts(call);
  if (findProgramEntry(INTERPRETERS, program) === undefined) return undefined;
  if (/^(python|pypy)/.test(program)) return pythonScripts(call);
  const loaded = optionValues(call, ...PRELOADS).map((word) => word.text);
  const [first, second] = call.positionals.map((word) => word.text);
  const verb = /^(deno|bun|swift)$/.test(program) && /^(run|test|eval|x)$/.test(first ?? "");
  const inspects = /^node(js)?$/.test(program) && first === "inspect";
  const script = verb || inspects ? second : first;
  if (hasFlag(call, "--test") && /^node/.test(program)) return { files: loaded, input: false };
  if (hasFlag(call, ...OWN_TEXT)) return { files: loaded, input: false };
  return withScript(loaded, script);
}

const isInput = (text: string): boolean => text === "-" || /^\/dev\/(stdin|fd\/0)$/.test(text);

const withScript = (loaded: readonly string[], script: string | undefined): Scripts =>
  script === undefined || isInput(script)
    ? { files: loaded, input: true }
    : { files: [...loaded, script], input: false };

function shellScripts(call: Call): Scripts {
  const loaded = optionValues(call, "--rcfile", "--init-file").map((word) => word.text);
  if (hasFlag(call, "-c", "--version", "--help")) return { files: loaded, input: false };
  return withScript(loaded, hasFlag(call, "-s") ? undefined : call.positionals[0]?.text);
}

/** `-m NAME` is a file of the present directory before it is one of a library. */
function pythonScripts(call: Call): Scripts {
  if (hasFlag(call, "-c", "-V", "--version", "-h")) return NOTHING;
  const modules = optionValues(call, "-m").map((word) => word.text.replaceAll(".", "/"));
  if (modules.length > 0)
    return {
      files: modules.flatMap((name) => [`${name}.py`, `${name}/__main__.py`, `${name}/__init__.py`]),
      input: false,
    };
  return withScript([], call.positionals[0]?.text);
}

/** Names under which an interpreter finds what its words name: `node x` may be `x.js`, `python3 x` may be `x/__main__.py`. */
export function filesOfScript(text: string, cwd: string | undefined): readonly string[] {
  if (text.includes(UNKNOWN)) return [];
  const path = operandPath(text, cwd);
  if (path === undefined) return [];
  const ends = [".js", ".cjs", ".mjs", ".ts", ".json", ".rb", ".lua", ".pm", ".so", ".node"].map((end) => path + end);
  const inside = ["index.js", "package.json", "__main__.py", "mod.ts"].map((name) => join(path, name));
  return [path, ...ends, ...inside];
}
