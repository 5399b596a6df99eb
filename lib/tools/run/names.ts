/** A kind of file with standing instructions: names of which the first in a directory counts (core part, 7.2). */
export interface ContextKind {
  readonly names: readonly string[];
  /** YAML front matter is for other programs and left out. */
  readonly frontMatter: boolean;
  /** Looked for from the root of the repository down; otherwise only in the working directory. */
  readonly upwards: boolean;
  /** Directory whose rule files count as well. */
  readonly rules?: string;
}

const AGENT: ContextKind = { names: [".agent.md", "AGENT.md"], frontMatter: true, upwards: true };
const AGENTS: ContextKind = { names: ["AGENTS.md", "agents.md"], frontMatter: false, upwards: true };
const CLAUDE: ContextKind = { names: ["CLAUDE.md", "claude.md"], frontMatter: false, upwards: true };
const CURSOR: ContextKind = { names: [".cursorrules"], frontMatter: false, upwards: false, rules: ".cursor/rules" };

/** In order; the first kind that a project has is used. */
export const PROJECT_KINDS: readonly ContextKind[] = [AGENT, AGENTS, CLAUDE, CURSOR];

/** What is looked for in the directories that calls touch (core part, 7.6). */
export const DIRECTORY_KINDS: readonly ContextKind[] = [AGENTS, CLAUDE, CURSOR];

/** Name of a rule file. */
export const RULE_FILE = /\.mdc$/;

/** A file of this name is written for agents, wherever it lies. */
export const isContextName = (name: string): boolean =>
  RULE_FILE.test(name) || PROJECT_KINDS.some((kind) => kind.names.includes(name));
