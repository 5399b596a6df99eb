import { AppError } from "../../lib/base/errors.js";
import { EVENT_INSERT } from "../events.js";
import { inspect } from "../statement.js";
import { eventArgs, storableArgs } from "../value.js";
import type { Session } from "./link.js";
import type { Memory } from "./memory.js";

/** What the function part of a migration works with: the open transaction of a memory without other readers. */
export function migrationSession(memory: Memory): Session {
  const all = async (sql: string, args: Parameters<Session["all"]>[1]) =>
    memory.all(sql, storableArgs(args, inspect(sql).params, sql));
  const ends = () => Promise.reject(new AppError("E_INTERNAL", "a migration must not end its transaction"));
  return {
    all,
    text: async (sql, args) => memory.text(sql, storableArgs(args, inspect(sql).params, sql)),
    run: async (sql, args) => {
      await all(sql, args);
      return memory.changed();
    },
    emit: (event) => {
      memory.all(EVENT_INSERT, eventArgs(event));
    },
    commit: ends,
    rollback: ends,
    rewind: ends,
  };
}
