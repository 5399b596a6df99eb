import type { Candidate } from "./completion/state.js";

/** Messages to the composer. */
export type ComposerMessage =
  /** What the home keeps for it, and the user's own editor as a command line. */
  | { readonly type: "composed"; readonly history: readonly string[]; readonly program: readonly string[] }
  | {
      readonly type: "offered";
      readonly asked: number;
      readonly from: number | undefined;
      readonly rows: readonly Candidate[];
    }
  /** Unsent text of a conversation. */
  | { readonly type: "drafted"; readonly session: string; readonly text: string }
  /** A file that a mention can name. `asked`: the pasted path that it stands for; undefined: a paste that was kept. */
  | {
      readonly type: "file";
      readonly asked: string | undefined;
      readonly path: string;
      readonly name: string;
      readonly bytes: number;
    }
  /** A picture that is kept for a message. `asked`: the text of the input line that it stands for. */
  | {
      readonly type: "picture";
      readonly asked: string | undefined;
      readonly name: string;
      readonly bytes: number;
      readonly mention: string;
    }
  | { readonly type: "sent"; readonly id: number; readonly outcome: "taken" | "refused" | "lost" };

/** What the composer asks for. */
export type ComposerEffect =
  /** A message; `id` names it, so that sent twice it is one. */
  | {
      readonly do: "submit";
      readonly id: number;
      readonly text: string;
      readonly session: string;
      readonly mode?: "queue" | "steer" | "interrupt";
    }
  /** What may stand at the end of a line. It comes soon or not at all; `patient`: it is waited for, and told in any case. */
  | {
      readonly do: "complete";
      readonly asked: number;
      readonly line: string;
      readonly session: string | undefined;
      readonly patient?: true;
    }
  | { readonly do: "remember"; readonly text: string }
  /** Keep unsent text of a conversation; "" forgets it. Without one it is that of the next new one in this directory. */
  | {
      readonly do: "keepDraft";
      readonly session: string | undefined;
      readonly text: string;
      /** Beginning of the text that was kept there last: after a restart the owner finds it by that. */
      readonly before?: string;
    }
  | { readonly do: "readDraft"; readonly session: string; readonly fresh: boolean }
  | { readonly do: "keepPaste"; readonly text: string }
  /** Whether a path that was pasted is a file. */
  | { readonly do: "look"; readonly path: string; readonly session: string | undefined; readonly typed?: true }
  /** Keep a picture for the message. */
  | {
      readonly do: "keepPicture";
      readonly path: string;
      readonly session: string | undefined;
      readonly asked: string | undefined;
    };
