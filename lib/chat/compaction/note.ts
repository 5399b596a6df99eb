import * as z from "zod";

/** What goes on beside the conversation and must not be forgotten with its beginning (core part, 8.3, step 8). */
export interface GoingOn {
  /** Lineage records as they are stored. */
  readonly todo: string | undefined;
  readonly goal: string | undefined;
  readonly processes: readonly { readonly id: string; readonly command: string }[];
  /** Oldest first. */
  readonly files: readonly string[];
}

const FILES = 40;
const TEXT = 500;

const todos = z.array(z.object({ content: z.string(), status: z.string() }));
const standing = z.object({ goal: z.string(), status: z.string(), subgoals: z.array(z.string()).default([]) });

/** The note at the end of a compacted conversation; "" when there is nothing to tell. */
export function noteText({ todo, goal, processes, files }: GoingOn): string {
  const sections = [
    section("Active todo items:", todoLines(todo)),
    goalLines(goal),
    section(
      "Background processes that run:",
      processes.map(({ id, command }) => `- ${id}: ${short(command)}`),
    ),
    section(
      "Files changed in this conversation:",
      files.slice(-FILES).map((path) => `- ${path}`),
    ),
  ].filter((text) => text !== "");
  if (sections.length === 0) return "";
  return ["[STATE AFTER CONTEXT COMPACTION - not a request]", ...sections].join("\n\n");
}

function todoLines(json: string | undefined): readonly string[] {
  const items = parsed(todos, json) ?? [];
  return items
    .filter(({ status }) => status === "pending" || status === "in_progress")
    .map(({ status, content }) => `- [${status}] ${short(content)}`);
}

function goalLines(json: string | undefined): string {
  const found = parsed(standing, json);
  if (found === undefined || found.status === "done") return "";
  const criteria = found.subgoals.map((text, at) => `${at + 1}. ${text}`);
  const paused = found.status === "active" ? "" : ` (${found.status})`;
  return [`Standing goal${paused}: ${found.goal}`, ...criteria].join("\n");
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? "" : [title, ...lines].join("\n");

const short = (text: string): string => (text.length <= TEXT ? text : `${text.slice(0, TEXT).toWellFormed()}…`);

function parsed<T>(schema: z.ZodType<T>, json: string | undefined): T | undefined {
  if (json === undefined) return undefined;
  const found = schema.safeParse(JSON.parse(json));
  return found.success ? found.data : undefined; // what another version wrote otherwise is as good as none
}

/** Paths of the record `files_changed`, oldest first: they are its members. */
export const parseChangedFiles = (json: string | undefined): readonly string[] =>
  Object.keys(parsed(z.record(z.string(), z.unknown()), json) ?? {});
