import { showTask } from "../../board/show.js";
import { addCommand } from "../../chat/update.js";
import { insert } from "../../composer/editor.js";
import type { Effect } from "../../model/messages.js";
import type { State, Updated } from "../../model/state.js";
import { showRun } from "../../runs/open.js";
import type { Entry } from "./state.js";

/** Something that can be done with an entry. */
export interface Verb {
  readonly name: string;
  readonly label: string;
  /** A value is asked for in the line of input, with these words in front. */
  readonly ask?: (entry: Entry) => string;
  /** What the line holds at first. */
  readonly first?: (entry: Entry) => string;
  readonly do: (state: State, entry: Entry, value: string) => Updated;
}

/** Answers of the owner to what was done here. */
export const DONE = "palette.done";
export const FORKED = "palette.forked";

/** The first one is what Enter does. */
export function verbsOf(entry: Entry): readonly Verb[] {
  switch (entry.kind) {
    case "action":
    case "pane":
      return [{ name: "do", label: "run it", do: (state) => [state, [act(entry.about["id"] ?? "")]] }];
    case "command":
      return commandVerbs(entry);
    case "session":
      return SESSION;
    case "task":
      return TASK;
    case "run":
      return [{ name: "open", label: "open", do: (state, entry) => showRun(state, id(entry)) }];
    case "file":
      return [
        {
          name: "mention",
          label: "mention it in the message",
          do: (state, { about }) => [typed(state, `@${about["path"] ?? ""} `), []],
        },
      ];
    case "model":
      return MODEL;
    case "theme":
      return [
        {
          name: "use",
          label: "use it",
          do: (state, { about }) => [state, [set("display.theme", about["name"] ?? "")]],
        },
      ];
    case "setting":
      return SETTING;
  }
}

const act = (action: string): Effect => ({ do: "tell", message: { type: "act", action } });
const call = (method: string, params: Readonly<Record<string, unknown>>, to = DONE): Effect => ({
  do: "call",
  method,
  params,
  to,
});
const set = (key: string, value: string): Effect => call("config.set", { key, value });
const id = ({ about }: Entry): string => about["id"] ?? "";

/** The dialog of the board, once the task stands under its cursor. */
function moving(state: State, { about }: Entry): Updated {
  const [next, effects] = showTask(state, about["board"] ?? "default", about["id"] ?? "");
  return [next, [...effects, act("board.move")]];
}

const typed = (state: State, text: string): State => {
  const { composer } = state;
  return { ...state, focus: "composer", composer: { ...composer, editor: insert(composer.editor, text) } };
};

/** A command as if it had been typed; its answer stands in the chat. */
function run(state: State, text: string): Updated {
  const [chat, number] = addCommand(state.chat, text);
  return [{ ...state, chat }, [{ do: "command", text, id: number }]];
}

function commandVerbs({ about }: Entry): readonly Verb[] {
  const { path = "", needs = "" } = about;
  const ask = needs === "" ? {} : { ask: () => `/${path} ${needs}:` };
  return [
    { name: "run", label: "run it", ...ask, do: (state, _entry, value) => run(state, `/${path} ${value}`.trimEnd()) },
    { name: "write", label: "insert it into the composer", do: (state) => [typed(state, `/${path} `), []] },
  ];
}

const SESSION: readonly Verb[] = [
  { name: "open", label: "open", do: (state, entry) => [state, [{ do: "open", session: id(entry) }]] },
  {
    name: "fork",
    label: "fork",
    do: (state, entry) => [state, [call("session.fork", { session_id: id(entry) }, FORKED)]],
  },
  {
    name: "rename",
    label: "rename",
    ask: () => "new title:",
    first: ({ about }: Entry) => about["title"] ?? "",
    do: (state, entry, title) => [state, [call("session.rename", { session_id: id(entry), title })]],
  },
  {
    name: "archive",
    label: "archive",
    do: (state, entry) => [state, [call("session.archive", { session_id: id(entry) })]],
  },
];

const TASK: readonly Verb[] = [
  {
    name: "open",
    label: "open",
    do: (state, { about }) => showTask(state, about["board"] ?? "default", about["id"] ?? "", true),
  },
  { name: "move", label: "move", do: moving },
  {
    name: "assign",
    label: "assign",
    ask: () => "assign to:",
    do: (state, { about }, profile) => [
      state,
      [call("kanban.assign", { id: about["id"] ?? "", profile, board: about["board"] ?? "default" })],
    ],
  },
  {
    name: "comment",
    label: "comment",
    ask: () => "comment:",
    do: (state, { about }, text) => [
      state,
      [call("kanban.comment", { id: about["id"] ?? "", text: [text], board: about["board"] ?? "default" })],
    ],
  },
];

const MODEL: readonly Verb[] = [
  {
    name: "use",
    label: "use it in this conversation",
    do: (state, { about }) => run(state, `/model ${about["name"] ?? ""}`),
  },
  {
    name: "default",
    label: "also use it for new conversations",
    do: (state, { about }) => run(state, `/model ${about["name"] ?? ""} --global`),
  },
];

const SETTING: readonly Verb[] = [
  {
    name: "set",
    label: "change it",
    ask: ({ about }: Entry) => `${about["key"] ?? ""}:`,
    first: ({ about }: Entry) => about["value"] ?? "",
    do: (state, { about }, value) => [state, [set(about["key"] ?? "", value)]],
  },
];
