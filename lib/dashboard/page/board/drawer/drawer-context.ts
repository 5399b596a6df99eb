import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { TaskCalls } from "./calls.js";
import type { TaskPage } from "./types.js";

/** The task that the drawer shows: what is known of it, and how it is asked. */
export interface OpenTask {
  readonly id: string;
  readonly calls: TaskCalls;
  readonly page: TaskPage;
  /** Read it again. It is on the page when this resolves. */
  reload(): Promise<void>;
  /** Unix seconds by the owner's clock. */
  now(): number;
}

const OpenTaskContext = createContext<OpenTask | undefined>(undefined);

/** Hands the open task to everything in it. */
export const OpenTaskProvider = OpenTaskContext.Provider;

/** The task that is open. */
export function useOpenTask(): OpenTask {
  const task = useContext(OpenTaskContext);
  if (task === undefined) throw new Error("a component stands outside of an open task");
  return task;
}
