// Written by `make index`. Do not edit.
import type { MentionEntry } from "../define.js";

export const MENTIONS: readonly MentionEntry[] = [
  {
    name: "diff",
    form: "alone",
    detail: "unstaged changes of the work tree",
    load: async () => (await import("./diff.js")).default,
  },
  {
    name: "file",
    form: "path",
    detail: "a file, or lines of it: @file:PATH:10-20",
    load: async () => (await import("./file.js")).default,
  },
  {
    name: "folder",
    form: "path",
    detail: "the file names of a directory",
    load: async () => (await import("./folder.js")).default,
  },
  {
    name: "git",
    form: "word",
    detail: "the last commits with their changes: @git:3",
    load: async () => (await import("./git.js")).default,
  },
  {
    name: "session",
    form: "word",
    detail: "another conversation, by its id",
    load: async () => (await import("./session.js")).default,
  },
  {
    name: "staged",
    form: "alone",
    detail: "staged changes",
    load: async () => (await import("./staged.js")).default,
  },
  {
    name: "task",
    form: "word",
    detail: "a task of the board, by its id",
    load: async () => (await import("./task.js")).default,
  },
  {
    name: "url",
    form: "word",
    detail: "the text of a web page: @url:https://…",
    load: async () => (await import("./url.js")).default,
  },
];
