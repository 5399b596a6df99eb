import { posix } from "node:path";
import { parseDocument } from "yaml";
import type { SkillFile } from "../../contracts/skills/guard.js";
import type { SkillUses } from "../../contracts/skills/hub.js";
import { readCommandLine } from "../../safety/shell/open.js";
import { readSkillText } from "../catalog/front-matter.js";
import { judgeContent } from "./content.js";
import { toScanLines } from "./lines.js";
import { shellParts } from "./shell-lines.js";

const LISTED_MAX = 60;
const TEXT_MAX = 512 << 10;
const COMMANDS_MAX = 400;
const COMMAND_CHARS = 1_000;

const HOST = /\bhttps?:\/\/(?:[^\s/@"'`<>)]{0,80}@)?(\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253})/gi;
const OUTSIDE =
  /(?<![\w./-])(?:~|\$\{?HOME\}?)\/[\w.@/-]{1,120}|(?<![\w./:-])\/(?:etc|usr|var|opt|home|root|Users|Library|tmp|dev|proc|sys|boot)\/[\w.@/-]{1,120}/g;
/** In shells and texts; in a program of JavaScript it is a constant in a template. */
const SHELL_VARIABLE = /\$\{?([A-Z][A-Z0-9_]{2,60})\}?/g;
const JAVASCRIPT = /\.(?:js|mjs|cjs|ts)$/i;
const VARIABLE =
  /process\.env(?:\.|\[["'])([A-Z][A-Z0-9_]{2,60})|environ(?:\.get\(|\[)\s?["']([A-Z][A-Z0-9_]{2,60})|getenv\(\s?["']([A-Z][A-Z0-9_]{2,60})/g;
const SCRIPT = /\.(?:sh|bash|zsh|fish|py|rb|pl|php|lua|js|mjs|cjs|ts|ps1|bat|cmd)$/i;
/** Set by the program or by every shell. */
const ORDINARY = new Set(["HOME", "PATH", "PWD", "USER", "SHELL", "TMPDIR", "LANG"]);

/** What the files of a skill say that it uses. A text tells a part of it: a program can do more than its lines name. */
export function skillUses(files: readonly SkillFile[]): SkillUses {
  const found = {
    tools: new Set<string>(),
    hosts: new Set<string>(),
    programs: new Set<string>(),
    paths: new Set<string>(),
    scripts: new Set<string>(),
    variables: new Set<string>(),
  };
  let commands = 0;
  for (const file of files) {
    const text = judgeContent(file).text?.slice(0, TEXT_MAX);
    if (SCRIPT.test(file.path) || file.executable === true || text?.startsWith("#!") === true)
      found.scripts.add(file.path);
    if (text === undefined) continue;
    for (const [, host = ""] of text.matchAll(HOST)) found.hosts.add(host.toLowerCase().replace(/\.$/, ""));
    for (const [path] of text.matchAll(OUTSIDE)) found.paths.add(path.replace(/[.,]$/, ""));
    const named = [...text.matchAll(VARIABLE), ...(JAVASCRIPT.test(file.path) ? [] : text.matchAll(SHELL_VARIABLE))];
    for (const [, ...names] of named)
      for (const name of names)
        if (name !== undefined && !ORDINARY.has(name) && !name.startsWith("AGENT_")) found.variables.add(name);
    for (const part of shellParts(file.path, text))
      for (const { text: line } of toScanLines(part.text)) {
        const command = line.replace(/^\s*[$#>]\s+/, "").trim();
        if (command === "" || command.startsWith("#") || command.length > COMMAND_CHARS || commands >= COMMANDS_MAX)
          continue;
        commands += 1;
        for (const program of programsOf(command)) found.programs.add(program);
      }
    if (file.path === "SKILL.md") addFacts(text, found);
  }
  const sorted = (set: ReadonlySet<string>) => [...set].toSorted().slice(0, LISTED_MAX);
  return {
    tools: sorted(found.tools),
    hosts: sorted(found.hosts),
    programs: sorted(found.programs),
    paths: sorted(found.paths),
    scripts: sorted(found.scripts),
    variables: sorted(found.variables),
  };
}

const BUILT_IN =
  /^(?:cd|echo|export|set|unset|if|then|else|fi|for|do|done|while|case|esac|true|false|test|\[|\[\[|printf|read|local|return|exit|shift|source|\.|:|eval|trap|wait|function)$/;

function programsOf(command: string): readonly string[] {
  const { commands } = readCommandLine(command, { cwd: "/", userHome: "/", agentHome: "/" });
  return commands.flatMap(({ words }) => {
    const name = posix.basename(words[0]?.text ?? "");
    return /^[A-Za-z0-9][\w.+-]{0,40}$/.test(name) && !BUILT_IN.test(name) ? [name] : [];
  });
}

function addFacts(
  text: string,
  found: { readonly tools: Set<string>; readonly programs: Set<string>; readonly variables: Set<string> },
): void {
  const read = readSkillText(text, "skill");
  if (typeof read === "string") return;
  for (const name of read.facts.commands) found.programs.add(name);
  for (const { name } of read.facts.variables) found.variables.add(name);
  for (const tool of allowedTools(text)) found.tools.add(tool);
}

/** `allowed-tools` of the public form: a list, or one text with blanks or commas, where brackets hold a pattern: `Bash(git:*) Read`. */
function allowedTools(text: string): readonly string[] {
  const yaml = /^\uFEFF?---\r?\n([\s\S]*?)\n---/.exec(text)?.[1];
  const field = yaml === undefined ? undefined : parseDocument(yaml, { schema: "core" }).get("allowed-tools", true);
  const value = field as { readonly toJSON?: () => unknown } | undefined; // a node of the document, or nothing
  const given: unknown = value?.toJSON?.();
  const list =
    typeof given === "string" ? (given.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? []) : Array.isArray(given) ? given : [];
  return list.filter((one) => typeof one === "string").map((one) => one.slice(0, 100));
}
