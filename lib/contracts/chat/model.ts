import type { SessionId } from "../../base/units.js";
import type { ReasoningEffort } from "../models/model.js";

/** What a conversation wants of its models, for all its turns to come. What is left out is as configured. */
export interface SessionModel {
  readonly provider?: string;
  readonly model?: string;
  readonly base_url?: string;
  readonly effort?: ReasoningEffort;
  /** The provider's faster tier, where it has one. */
  readonly fast?: boolean;
}

/** A change; null takes a member back to the settings. */
export type SessionModelChange = { readonly [Name in keyof SessionModel]?: SessionModel[Name] | null };

/** The model of one conversation. */
export interface SessionModelApi {
  modelOf(id: SessionId): Promise<SessionModel>;
  /** Holds from the next turn on. @throws E_NOT_FOUND */
  setModel(id: SessionId, change: SessionModelChange): Promise<SessionModel>;
}
