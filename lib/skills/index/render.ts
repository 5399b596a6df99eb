import { headText, toScreenLine } from "../../safety/redact/text.js";

/** One skill of the index. */
export interface IndexEntry {
  readonly name: string;
  /** One line; what says when to use the skill stands first. */
  readonly description: string;
  /** "": none. */
  readonly category: string;
}

export interface IndexWish {
  /** Ranked: the first keep their descriptions longest. */
  readonly entries: readonly IndexEntry[];
  /** What a category is about. */
  readonly categories: ReadonlyMap<string, string>;
  readonly maxTokens: number;
  /** Categories whose skills are listed by name only. */
  readonly namesOnly?: (category: string) => boolean;
}

export interface SkillIndex {
  readonly text: string;
  /** Skills by how they are listed. */
  readonly full: number;
  readonly short: number;
  readonly names: number;
  /** Even the names alone are more than `maxTokens`. They are all there. */
  readonly over: boolean;
}

type Level = "full" | "short" | "name";

const SHORT_CHARS = 60;
const CATEGORY_CHARS = 64;
const ABOUT_CHARS = 120;
/** Roughly (core part, 8.1). */
const CHARS_PER_TOKEN = 4;
/** Label of what lies in no category. */
const GENERAL = "general";

const INTRODUCTION =
  "# Skills\nSkills are instructions for kinds of tasks. Before you begin a task, look for one that fits it, also partly; read it with skill_view " +
  'and follow it. Under "[names only]" the name alone says what a skill is for: view it when it may fit.';

/**
 * The list of skills for the prompt (core part, 28.2). No skill is left out: within the budget, descriptions are cut to 60 characters, then left out,
 * the last in rank first.
 */
export function renderIndex(wish: IndexWish): SkillIndex {
  const { entries, maxTokens, namesOnly } = wish;
  const budget = maxTokens * CHARS_PER_TOKEN;
  const levels = new Map<IndexEntry, Level>(entries.map((entry) => [entry, "name"]));
  const sizes = entries.filter(({ category }) => namesOnly?.(category) !== true);
  let used = layOut(wish, levels).length + headings(wish);
  const over = layOut(wish, levels).length > budget;
  for (const level of ["short", "full"] as const)
    for (const entry of sizes) {
      const before = levels.get(entry) ?? "name";
      const more = lineOf(entry, level).length - takes(entry, before);
      if (before !== "name" && more === 0)
        levels.set(entry, level); // it is short as it is
      else if (used + more <= budget && (level === "short" || before === "short")) {
        levels.set(entry, level);
        used += more;
      } else break; // by rank: nothing behind it is shown longer
    }
  const counted = (level: Level) => [...levels.values()].filter((one) => one === level).length;
  return { text: layOut(wish, levels), full: counted("full"), short: counted("short"), names: counted("name"), over };
}

/** Characters that an entry gives back when it is listed in another way. */
const takes = (entry: IndexEntry, level: Level): number =>
  level === "name" ? entry.name.length + ", ".length - "\n".length : lineOf(entry, level).length;

/** What lines of categories may take once there are descriptions below them. */
const headings = ({ entries, categories }: IndexWish): number =>
  [...new Set(entries.map(({ category }) => category))].reduce(
    (sum, category) => sum + headingOf(category, categories).length + 1,
    0,
  );

function layOut({ entries, categories }: IndexWish, levels: ReadonlyMap<IndexEntry, Level>): string {
  const lines = [INTRODUCTION, "<available_skills>"];
  for (const category of new Set(entries.map((entry) => entry.category).toSorted(byCategory))) {
    const here = entries.filter((entry) => entry.category === category).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    const described = here.filter((entry) => levels.get(entry) !== "name");
    const named = here.filter((entry) => levels.get(entry) === "name");
    if (described.length > 0) lines.push(headingOf(category, categories));
    lines.push(...described.map((entry) => lineOf(entry, levels.get(entry) ?? "name")));
    if (named.length > 0) lines.push(` ${labelOf(category)} [names only]: ${named.map(({ name }) => name).join(", ")}`);
  }
  return [...lines, "</available_skills>"].join("\n");
}

/** Skills of the project first, then those of no category. */
const FIRST = ["project", ""];

function byCategory(a: string, b: string): number {
  const rank = (category: string) => (FIRST.includes(category) ? FIRST.indexOf(category) : FIRST.length);
  return rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);
}

const labelOf = (category: string): string => (category === "" ? GENERAL : inside(category, CATEGORY_CHARS));

function headingOf(category: string, categories: IndexWish["categories"]): string {
  const about = inside(categories.get(category) ?? "", ABOUT_CHARS);
  return about === "" ? ` ${labelOf(category)}:` : ` ${labelOf(category)}: ${about}`;
}

function lineOf({ name, description }: IndexEntry, level: Level): string {
  if (level === "name" || description === "") return ` - ${name}`;
  return ` - ${name}: ${level === "full" ? description : cut(description)}`;
}

const cut = (text: string): string =>
  text.length <= SHORT_CHARS ? text : `${headText(text, SHORT_CHARS - 3).trimEnd()}...`;

/** A text that cannot end the list. */
const inside = (text: string, max: number): string => toScreenLine(text, max).replace(/</g, "‹");

/** The description as the index shows it: one line, in which what says when to use the skill stands first. */
export function indexDescription(description: string): string {
  const line = inside(description, 1_024);
  const sentences = line.split(/(?<=[.!?]) /);
  const at = sentences.findIndex((sentence) => WHEN.test(sentence));
  if (at <= 0) return line;
  const [when = ""] = sentences.splice(at, 1);
  return [when, ...sentences].join(" ");
}

const WHEN =
  /\b(?:use|used|invoke|apply|load|call|trigger|activate)\w*\b.{0,40}\b(?:when|whenever|for|if|before|after|to)\b|^\s*(?:when|whenever|if)\b/i;
