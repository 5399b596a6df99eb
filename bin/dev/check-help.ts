import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AnyCommand } from "../../lib/commands/define.js";
import type { Check, Finding } from "./check-type.js";
import { DEFINITION } from "./index.js";
import { filesWith, KEY_FILES, keysOf, loadModules, type Modules } from "./modules.js";
import type { Source } from "./parse.js";
import { describeFlags } from "./registries.js";
import { commandsIn, nameOf, TABLE_FILES, TOPIC_FOLDER, toolsIn } from "./topics.js";

/**
 * Every command, error code, tool, variable and section of settings is named in a topic, and topics name nothing that
 * does not exist. Options and settings are described where they are defined: `--help` and `config list` print that.
 */
export const checkHelp: Check = {
  name: "help",
  run: async (sources) => {
    const modules = await loadModules([
      ...filesWith("lib/commands", DEFINITION),
      ...filesWith("lib/tools", DEFINITION),
      ...filesWith(".", KEY_FILES),
      ...TABLE_FILES,
      RESULTS_FILE,
    ]);
    const topics = readTopics();
    const mention = (topic: string, word: string) => topics.get(topic)?.includes(word) === true;
    return {
      findings: [
        ...commandFindings(modules, topics),
        ...findUndescribed(commandsIn(modules), modules.get(RESULTS_FILE)?.["RESULTS"] as ReadonlyMap<string, unknown>), // its declared type
        ...listed(modules, mention),
        ...variables(sources, mention),
        ...gone(modules, topics),
      ],
    };
  },
};

/** What methods answer that several share, by their names. */
const RESULTS_FILE = "lib/contracts/wire/protocol/results.ts";

/** Commands that programs call as methods, and whose answer nothing describes. */
export const findUndescribed = (
  commands: readonly Pick<AnyCommand, "path" | "surfaces" | "follow" | "result">[],
  shared: ReadonlyMap<string, unknown>,
): Finding[] =>
  commands
    .filter(({ path, surfaces, follow, result }) => {
      const known = result !== undefined || shared.has(path.replaceAll(" ", "."));
      return surfaces.includes("rpc") && follow !== true && !known; // a command that follows is not a method
    })
    .map(({ path }) => ({
      file: "lib/commands",
      rule: "result",
      message: `${path}: its answer to programs is not described: add \`result\`, the schema of \`data\``,
    }));

type Topics = ReadonlyMap<string, string>;
type Mention = (topic: string, word: string) => boolean;

function readTopics(): Topics {
  const names = existsSync(TOPIC_FOLDER) ? readdirSync(TOPIC_FOLDER).filter((name) => name.endsWith(".md")) : [];
  return new Map(names.map((name) => [name.slice(0, -".md".length), readFileSync(join(TOPIC_FOLDER, name), "utf8")]));
}

const topicFile = (topic: string) => join(TOPIC_FOLDER, `${topic}.md`);
const missing = (topic: string, what: string): Finding => ({
  file: topicFile(topic),
  rule: "not mentioned",
  message: what,
});

function commandFindings(modules: Modules, topics: Topics): Finding[] {
  return commandsIn(modules).flatMap((command) => {
    const text = topics.get(command.topic);
    if (text === undefined)
      return [{ file: "lib/commands", rule: "topic", message: `${command.path}: there is no topic ${command.topic}` }];
    const silent = describeFlags(command)
      .filter(({ describe }) => describe === "")
      .map(({ name }) => `${command.path}: parameter ${name} has no describe()`);
    const findings = text.includes(nameOf(command, command.path)) ? [] : [missing(command.topic, command.path)];
    return [...findings, ...silent.map((message) => ({ file: "lib/commands", rule: "describe", message }))];
  });
}

function listed(modules: Modules, mention: Mention): Finding[] {
  const keys = keysOf(modules);
  const sections = new Set(keys.map(({ key }) => key.replace(/\..*/, "")));
  const codes = Object.keys(modules.get("lib/base/errors.ts")?.["ERRORS"] ?? {}).filter(
    (code) => !mention("exit-codes", code),
  );
  const tools = toolsIn(modules).filter(({ name }) => !mention("tools", `\`${name}\``));
  return [
    ...[...sections].filter((name) => !mention("config", `\`${name}\``)).map((name) => missing("config", name)),
    ...keys
      .filter(({ help }) => help === "")
      .map(({ key }) => ({ file: "lib", rule: "describe", message: `${key}: the setting has no help` })),
    ...codes.map((code) => missing("exit-codes", code)),
    ...tools.map(({ name }) => missing("tools", name)),
  ];
}

/** Names of variables in the product's sources. Those of the build are not for users. */
function variables(sources: readonly Source[], mention: Mention): Finding[] {
  const product = sources.filter(({ path }) => !/^(?:bin\/dev|fixtures)\//.test(path) && !path.endsWith(".test.ts"));
  const names = new Set(
    product.flatMap(({ text }) =>
      [...text.matchAll(/"(AGENT_[A-Z][A-Z_]*[A-Z])"|env\.(AGENT_[A-Z_]*[A-Z])\b/g)].map(
        (match) => match[1] ?? match[2] ?? "",
      ),
    ),
  );
  return [...names].filter((name) => !mention("environment", name)).map((name) => missing("environment", name));
}

/** Commands and error codes that topics name and that do not exist. */
function gone(modules: Modules, topics: Topics): Finding[] {
  const commands = commandsIn(modules);
  if (commands.length === 0) return [];
  const codes = new Set(Object.keys(modules.get("lib/base/errors.ts")?.["ERRORS"] ?? {}));
  return [...topics].flatMap(([topic, text]) => {
    const file = topicFile(topic);
    const errors = [...text.matchAll(/\bE_[A-Z_]+\b/g)].flatMap(([code]) => (codes.has(code) ? [] : [code]));
    const calls = [...text.matchAll(/(?:^ {4}(?:.*[ $(])?|`)agent ((?:[a-z][a-z-]*)(?: [a-z][a-z-]*)?)/gm)].flatMap(
      ([, words = ""]) => (isKnown(words, commands) ? [] : [`agent ${words}`]),
    );
    return [...new Set([...errors, ...calls])].map((what) => ({
      file,
      rule: "gone",
      message: `mentions ${what}, which does not exist`,
    }));
  });
}

/** A command, the beginning of a group, or a command that is followed by something else. */
function isKnown(words: string, commands: readonly AnyCommand[]): boolean {
  const [first = ""] = words.split(" ");
  const paths = commands.flatMap(({ path, aliases }) => [path, ...(aliases ?? [])]);
  const isGroup = paths.some((path) => path.startsWith(`${first} `));
  return paths.some((path) => path === words || path.startsWith(`${words} `)) || (!isGroup && paths.includes(first));
}
