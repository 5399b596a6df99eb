import type { PaletteItems } from "../../../lib/contracts/ui/palette.js";
import { keyLabel } from "../../../lib/contracts/ui/screen-keys.js";
import { sanitizeLine } from "../../draw/sanitize.js";
import { activeContexts, OF_PANES } from "../../model/contexts.js";
import type { Binding, State } from "../../model/state.js";
import type { RunRow } from "../../runs/state.js";
import type { Entry } from "./state.js";

const THEMES = ["auto", "dark", "light", "high-contrast", "plain"] as const; // workspace part, 13

/** Everything of the screen itself: actions and panes of the key table, themes. */
export function ownEntries(state: State): readonly Entry[] {
  const seen = new Set<string>();
  const rows = state.keymap.filter((one) => {
    const fits =
      one.own !== true &&
      one.id !== "palette" &&
      (activeContexts(state).includes(one.context) || one.keys.length === 0);
    if (!fits || seen.has(one.id) || MOVES.test(one.id) || (state.inline !== undefined && OF_PANES.test(one.id)))
      return false;
    seen.add(one.id);
    return true;
  });
  const own = state.display.themes.map(({ name }) => name);
  return [
    ...rows.map(bindingEntry),
    ...THEMES.map(themeEntry),
    ...own.map(themeEntry),
    ...[...state.runs.all.values()].map(runEntry),
  ];
}

/** Moving about is useless from here. */
const MOVES = /^(?:list|move|erase|queue|send|newline|yank|undo|focus)\b/;

function bindingEntry({ id, label, keys }: Binding): Entry {
  const pane = id.startsWith("pane.");
  const shortcut = keys[0] === undefined ? "" : keyLabel(keys[0]);
  return {
    kind: pane ? "pane" : "action",
    key: `act:${id}`,
    name: label,
    detail: "",
    shortcut,
    also: id,
    about: { id },
  };
}

const themeEntry = (name: string): Entry => ({
  kind: "theme",
  key: `theme:${name}`,
  name,
  detail: "theme",
  shortcut: "",
  also: `theme ${name}`,
  about: { name },
});

function runEntry({ id, kind, title, profile, state, task = "" }: RunRow): Entry {
  const detail = [kind, task, profile, state].filter((part) => part !== "").join(" · ");
  return {
    kind: "run",
    key: `run:${id}`,
    name: title,
    detail,
    shortcut: "",
    also: task,
    about: { id },
  };
}

/** What `palette.items` tells. */
export function ownerEntries(items: PaletteItems): readonly Entry[] {
  const entry = (kind: Entry["kind"], key: string, more: Partial<Entry> & Pick<Entry, "name" | "about">): Entry => ({
    kind,
    key: `${kind}:${key}`,
    detail: "",
    shortcut: "",
    also: "",
    ...more,
  });
  return [
    ...items.sessions.map(({ id, title, cwd }) =>
      entry("session", id, {
        name: clean(title) || id,
        detail: clean(cwd),
        also: id,
        about: { id, title: clean(title) },
      }),
    ),
    ...items.tasks.map(({ board, id, title, status, assignee }) => {
      const detail = `${id} · ${status}${assignee === "" ? "" : ` · @${assignee}`}${board === "default" ? "" : ` · ${board}`}`;
      return entry("task", `${board}/${id}`, {
        name: clean(title),
        detail: clean(detail),
        also: id,
        about: { board, id },
      });
    }),
    ...items.files.map((path) => entry("file", path, { name: clean(path), about: { path } })),
    ...items.settings.map(({ key, value, help }) =>
      entry("setting", key, { name: key, detail: clean(`${value}  ${help}`), about: { key, value: clean(value) } }),
    ),
  ];
}

/** What `command.list` tells. */
export function commandEntries(rows: readonly CommandRow[]): readonly Entry[] {
  return rows.map(({ path, summary, positionals, flags, aliases }) => {
    const [place = ""] = positionals;
    const name = place.replace(/\.\.\.$/, "");
    const needs = flags.some((flag) => flag.name === name && flag.required === true) ? name : "";
    const also = aliases.map((one) => `/${one}`).join(" ");
    return {
      kind: "command",
      key: `command:${path}`,
      name: `/${path}`,
      detail: clean(summary),
      shortcut: "",
      also,
      about: { path, needs },
    };
  });
}

export interface CommandRow {
  readonly path: string;
  readonly summary: string;
  readonly aliases: readonly string[];
  readonly positionals: readonly string[];
  readonly flags: readonly { readonly name: string; readonly required?: boolean }[];
}

/** What `palette.models` tells. */
export const modelEntries = (
  rows: readonly { readonly provider: string; readonly model: string }[],
): readonly Entry[] =>
  rows.map(({ provider, model }) => ({
    kind: "model",
    key: `model:${provider}:${model}`,
    name: clean(model),
    detail: clean(provider),
    shortcut: "",
    also: `${provider}:${model}`,
    about: { name: `${provider}:${model}` },
  }));

/** Most of ten thousand titles are plain: they take the short way. */
const clean = (text: string): string => (PLAIN.test(text) ? text : sanitizeLine(text)).slice(0, 200);
const PLAIN = /^[\x20-\x7e]*$/;
