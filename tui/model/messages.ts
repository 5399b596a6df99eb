import type { Display } from "../app/display.js";
import type { ComposerEffect, ComposerMessage } from "../composer/messages.js";
import type { PaintedMessage } from "../grammar/messages.js";
import type { OutsideEffect, OutsideMessage } from "../outside/messages.js";
import type { Confirmed } from "../overlays/confirm/state.js";
import type { Filled } from "../overlays/form/state.js";
import type { Picked } from "../overlays/pick/state.js";
import type { AskedElsewhere } from "../questions/messages.js";
import type { Input } from "../terminal/decode.js";
import type { VoiceEffect, VoiceMessage } from "../voice/messages.js";
import type { PaneEffect, PaneMessage } from "./panes.gen.js";

/** What happened outside: everything that can change the state. The messages of a pane are in its folder. */
export type Message =
  | Input
  | { readonly type: "resize"; readonly columns: number; readonly rows: number }
  | { readonly type: "tick"; readonly now: number; readonly wall: number }
  /** `notice`: what the user has to know of an owner that was met again. */
  | { readonly type: "connection"; readonly state: "connected" | "lost"; readonly notice?: string }
  /** This process has become the owner, or no longer is. */
  | { readonly type: "role"; readonly owner: boolean; readonly text: string }
  /** Show another theme; `keep`: it is the user's from now on, else only looked at. */
  | { readonly type: "theme"; readonly name: string; readonly keep: boolean }
  /** The settings of screens, as the owner has them now. */
  | { readonly type: "display"; readonly display: Display }
  /** tmux passes pictures on to a terminal that shows them. */
  | { readonly type: "tmux.pictures" }
  /** A whole line, where lines are read instead of keys. */
  | { readonly type: "line"; readonly text: string }
  | { readonly type: "say"; readonly text: string; readonly error: boolean }
  /** An action of the key table, chosen in another way than by its key. */
  | { readonly type: "act"; readonly action: string }
  | CallResult
  | Confirmed
  | Picked
  | Filled
  | PaneMessage
  | ComposerMessage
  | AskedElsewhere
  | PaintedMessage
  | OutsideMessage
  | VoiceMessage;

/** What the owner answered to an effect `call`. `to` is the name that the caller gave. */
export type CallResult =
  | { readonly type: "called"; readonly to: string; readonly ok: true; readonly result: unknown }
  | {
      readonly type: "called";
      readonly to: string;
      readonly ok: false;
      readonly code: string;
      readonly message: string;
    };

/** What the state asks the outside to do. `update` itself does nothing. */
export type Effect =
  | PaneEffect
  | ComposerEffect
  | OutsideEffect
  | VoiceEffect
  /** A method of the owner. With `to` the answer comes back as `called`; without it only a failure is said. `reads`: it changes nothing. */
  | {
      readonly do: "call";
      readonly method: string;
      readonly params: Readonly<Record<string, unknown>>;
      readonly to?: string;
      readonly reads?: boolean;
      /** How long the answer may take before the call counts as failed; absent: as long as the screen is open. */
      readonly withinMs?: number;
    }
  /** Another message, once the state stands: `act` of the palette, the answer of a dialog. */
  | { readonly do: "tell"; readonly message: Message }
  /** Show another conversation; undefined: a new one. */
  | { readonly do: "open"; readonly session: string | undefined }
  | { readonly do: "reload" }
  | { readonly do: "redraw" }
  | { readonly do: "suspend" }
  /** End this screen. `detach`: the owner in this process goes on without one. `stop`: it stops in order; workers go on. */
  | { readonly do: "leave"; readonly how: "detach" | "stop" };
