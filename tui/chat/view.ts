import { age } from "../ages.js";
import { type RowOf, wrap } from "../canvas.js";
import type { State } from "../state.js";
import { THEME } from "../theme.js";
import { fit } from "../width.js";
import type { ChatItem } from "./state.js";

const GLYPHS = { running: "◐", ok: "✓", error: "✗", denied: "⊘", stopped: "–" } as const;
const laid = new WeakMap<ChatItem, { readonly width: number; readonly rows: readonly RowOf[] }>();

/** All rows of the conversation at a width. Finished items are laid out once per width. */
export function chatRows(state: State, width: number): readonly RowOf[] {
  const rows: RowOf[] = [];
  for (const item of state.chat.items) rows.push(...itemRows(item, width, state.now));
  if (state.chat.streaming !== "") rows.push([], [[THEME.agent, "agent"]], ...prose(state.chat.streaming, width));
  if (rows.length === 0) rows.push(...emptyRows(state, width));
  return rows;
}

function itemRows(item: ChatItem, width: number, now: number): readonly RowOf[] {
  if (item.kind === "tool" && item.state === "running") return [toolRow(item, width, now)];
  const known = laid.get(item);
  if (known?.width === width) return known.rows;
  const rows = layOut(item, width, now);
  laid.set(item, { width, rows });
  return rows;
}

function layOut(item: ChatItem, width: number, now: number): readonly RowOf[] {
  switch (item.kind) {
    case "user":
      return [[], [[THEME.user, "you"]], ...wrap(item.text, width).map((line): RowOf => [[THEME.text, line]])];
    case "answer": {
      const rows = [[], [[THEME.agent, "agent"]] satisfies RowOf, ...prose(item.text, width)];
      return item.interrupted ? [...rows, [[THEME.warn, "(interrupted)"]]] : rows;
    }
    case "tool":
      return [toolRow(item, width, now)];
    case "command": {
      const style = item.failed ? THEME.warn : THEME.code;
      const answer = item.answer === undefined ? [] : wrap(item.answer, width).map((line): RowOf => [[style, line]]);
      return [[], ...wrap(item.text, width).map((line): RowOf => [[THEME.user, line]]), ...answer];
    }
    case "notice": {
      const style = item.level === "error" ? THEME.error : item.level === "warning" ? THEME.warn : THEME.dim;
      return wrap(item.text, width).map((line): RowOf => [[style, line]]);
    }
  }
}

function toolRow(item: Extract<ChatItem, { kind: "tool" }>, width: number, now: number): RowOf {
  const style =
    item.state === "ok" ? THEME.ok : item.state === "running" ? THEME.accent : item.state === "stopped" ? THEME.dim : THEME.error;
  const time = item.state === "running" ? age(now - item.since) : `${(item.ms / 1000).toFixed(1)} s`;
  const room = Math.max(4, width - time.length - 3);
  const body = fit(`${item.name}  ${item.preview}`, room);
  return [
    [style, `${GLYPHS[item.state]} `],
    [THEME.text, body],
    [THEME.dim, ` ${time}`],
  ];
}

/** Markdown as plain lines: headings stand out, fenced code keeps its own breaks. */
function prose(text: string, width: number): RowOf[] {
  let code = false;
  return text.split("\n").flatMap((line): RowOf[] => {
    if (/^\s*(```|~~~)/.test(line)) {
      code = !code;
      return [[[THEME.dim, fit(line, width)]]];
    }
    if (code) return wrap(line, width).map((part): RowOf => [[THEME.code, part]]);
    const heading = /^#{1,6}\s+(.*)$/.exec(line);
    if (heading) return wrap(heading[1] ?? "", width).map((part): RowOf => [[THEME.heading, part]]);
    return wrap(line, width).map((part): RowOf => [[THEME.text, part]]);
  });
}

function emptyRows(state: State, width: number): RowOf[] {
  const lines =
    state.session.id === undefined
      ? ["Opening a session…"]
      : [
          "New session. Type a message, /help for commands, F1 for keys.",
          ...(state.session.model.startsWith("offline")
            ? [
                "",
                "No model is set up: the built-in offline provider answers. It is a stand-in that follows rules.",
                "agent config set model.base_url URL sets one up; a local server is found by itself.",
                "Try: list files · read README.md · add task write the changelog",
              ]
            : []),
        ];
  return lines.flatMap((line) => wrap(line, width).map((part): RowOf => [[THEME.dim, part]]));
}
