import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { distFile } from "../base/fs/dist.js";

/** A help topic as `agent help <topic>` and the dashboard show it. */
export interface Topic {
  /** Word after `agent help`. */
  readonly name: string;
  readonly title: string;
  /** One sentence for the list of topics. */
  readonly summary: string;
  readonly order: number;
  /** Markdown without front matter and marks. */
  readonly text: string;
}

/** Every topic in reading order. */
export async function listTopics(): Promise<readonly Topic[]> {
  const folder = distFile("help");
  const names = (await readdir(folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length));
  const topics = await Promise.all(
    names.map(async (name) => parseTopic(name, await readFile(join(folder, `${name}.md`), "utf8"))),
  );
  return topics.toSorted((a, b) => a.order - b.order || (a.name < b.name ? -1 : 1));
}

/** The topic of that name; undefined when it does not exist. */
export async function findTopic(name: string): Promise<Topic | undefined> {
  return (await listTopics()).find((topic) => topic.name === name);
}

const FRONT = /^---\n([\s\S]*?)\n---\n/;

/** Front matter holds `title`, `summary` and `order`; a missing one falls back to the name, nothing, and the end of the list. */
export function parseTopic(name: string, file: string): Topic {
  const front = FRONT.exec(file);
  const field = (key: string) => new RegExp(`^${key}: *(.*)$`, "m").exec(front?.[1] ?? "")?.[1]?.trim();
  const order = Number(field("order"));
  const text = file
    .slice(front?.[0].length ?? 0)
    .replaceAll(/^<!--.*-->\n/gm, "")
    .trim();
  return {
    name,
    title: field("title") ?? name,
    summary: field("summary") ?? "",
    order: Number.isFinite(order) ? order : 1000,
    text,
  };
}
