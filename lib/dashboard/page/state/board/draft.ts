import type { Status } from "../../../../contracts/board/board.js";
import { parseLocalTime } from "../../words/time.js";

/** Anything that gives fields by their names, as a form does. */
interface Form {
  get(name: string): unknown;
}

/** What a form for a new task says: what is sent, or what is wrong with it. */
export type FormDraft = { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: string };

/** Read the form of a column. What is left empty is the owner's to choose. */
export function readDraftForm(form: Form, column: Status): FormDraft {
  const text = (name: string): string => String(form.get(name) ?? "").trim();
  if (text("title") === "") return { problem: "Missing title." };
  const at = text("scheduled_at");
  const begins = parseLocalTime(at);
  if (column === "scheduled" && begins === undefined) return { problem: "Set a start time." };
  const list = (name: string): readonly string[] =>
    text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
  const optional = Object.fromEntries(
    ["body", "assignee", "workspace_path", "branch_name"].flatMap((name) =>
      text(name) === "" ? [] : [[name, text(name)]],
    ),
  );
  const kind = text("workspace_kind");
  return {
    fields: {
      title: text("title"),
      ...optional,
      ...(text("priority") !== "" && { priority: Number(text("priority")) }),
      ...(list("skills").length > 0 && {
        skills: text("skills")
          .split(",")
          .map((one) => one.trim())
          .filter(Boolean),
      }),
      ...(list("parents").length > 0 && { parents: list("parents") }),
      ...(text("goal_mode") === "true" && { goal_mode: true }),
      ...(kind !== "" && kind !== "scratch" && { workspace_kind: kind }),
      ...(begins !== undefined && { scheduled_at: begins }),
      ...(column === "triage" && { triage: true }),
      ...(column === "blocked" && { initial_status: "blocked" }),
    },
  };
}
