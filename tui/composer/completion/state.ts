/** Something that may stand in place of the word at the cursor. */
export interface Candidate {
  readonly text: string;
  readonly label: string;
  readonly detail: string;
  readonly kind: string;
}

export interface CompletionState {
  /** Number of the last question; answers to older ones are dropped. */
  readonly asked: number;
  /** Where the word begins that the candidates stand for. */
  readonly from: number;
  readonly rows: readonly Candidate[];
  /** Candidate that is marked; -1: none, Enter sends. */
  readonly at: number;
  /** The word for which the list was closed by hand. */
  readonly closedFor: string | undefined;
  /** The owner was asked about the word at the cursor and has not said what there is. */
  readonly asking: boolean;
  /** What it offers first is to be taken. */
  readonly wanted: boolean;
}

export const NO_COMPLETION: CompletionState = {
  asked: 0,
  from: 0,
  rows: [],
  at: -1,
  closedFor: undefined,
  asking: false,
  wanted: false,
};
