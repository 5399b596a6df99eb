import { modelName } from "../model/session.js";
import type { State } from "../model/state.js";

/** The model of the conversation; before its first turn the one that the owner says will answer. */
export function servingModel({ session, start }: Pick<State, "session" | "start">): string {
  if (session.model !== "" || start === undefined) return session.model;
  return modelName(start.serving.provider, start.serving.model);
}
