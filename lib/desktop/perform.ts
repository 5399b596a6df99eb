import type { DesktopAction, DesktopPlace } from "../contracts/desktop/desktop.js";
import { type DriverAnswer, DriverFailure } from "../contracts/desktop/driver.js";
import { readKeys } from "../safety/desktop/keys.js";
import type { Aimed } from "./aim.js";
import { CALL_MS, type DesktopParts } from "./parts.js";

type Args = Readonly<Record<string, unknown>>;

/** A call of the driver. */
interface Step {
  readonly tool: string;
  readonly args: Args;
  readonly ms?: number;
}

const AMOUNT = { usual: 3, most: 50 } as const;
/** How long a key of a typed text may take. */
const TYPED_MS = 60;

interface Performing {
  readonly parts: DesktopParts;
  readonly place: DesktopPlace;
  readonly signal: AbortSignal;
}

/** Do it. @throws DriverFailure */
export async function perform(
  { parts, place, signal }: Performing,
  action: DesktopAction,
  aimed: Aimed,
): Promise<DriverAnswer> {
  const { tools } = await parts.drivers.offers(place.env);
  let answer: DriverAnswer = { value: {} };
  for (const { tool, args, ms = CALL_MS } of stepsOf(action, aimed, { tools, parts, place })) {
    if (!tools.has(tool)) throw new DriverFailure("answered", `the driver has no ${tool}`);
    answer = await parts.drivers.call(place.env, { tool, args, timeoutMs: ms, repeats: false }, signal);
  }
  return answer;
}

interface Around {
  readonly tools: ReadonlyMap<string, ReadonlySet<string>>;
  readonly parts: DesktopParts;
  readonly place: DesktopPlace;
}

function stepsOf(action: DesktopAction, aimed: Aimed, around: Around): readonly Step[] {
  const known = targetArgs(aimed, around);
  switch (action.action) {
    case "click":
      return [clickStep(action, aimed, around, { button: action.button ?? "left", count: 1 })];
    case "double_click":
      return [clickStep(action, aimed, around, { button: "left", count: 2 })];
    case "right_click":
      return [clickStep(action, aimed, around, { button: "right", count: 1 })];
    case "middle_click":
      return [clickStep(action, aimed, around, { button: "middle", count: 1 })];
    case "drag":
      return [{ tool: "drag", args: { ...dragArgs(aimed), ...modifiersOf(action, around, "drag"), ...known } }];
    case "scroll":
      return [
        {
          tool: "scroll",
          args: {
            ...pointArgs(aimed, around.tools.get("scroll")),
            direction: action.direction,
            amount: Math.min(Math.max(Math.round(action.amount ?? AMOUNT.usual), 1), AMOUNT.most),
            ...known,
          },
        },
      ];
    case "type":
      return typeSteps(action, aimed, around);
    case "key":
      return [keyStep(action.keys ?? "", known)];
    case "focus_app": {
      const { window } = aimed.subject;
      const args = { pid: window?.pid, window_id: window?.window_id, raise: action.raise_window === true };
      return [{ tool: "focus_window", args }];
    }
    default:
      return [];
  }
}

/** What the driver knows the window of the last capture by. */
function targetArgs({ subject: { window } }: Aimed, { parts, place }: Pick<Around, "parts" | "place">): Args {
  const snapshot = parts.captures.of(place.session)?.snapshot;
  return {
    ...(window === undefined ? {} : { pid: window.pid, window_id: window.window_id }),
    ...(snapshot === undefined ? {} : { snapshot_id: snapshot }),
  };
}

interface Click {
  readonly button: "left" | "right" | "middle";
  readonly count: number;
}

/** Never another button than the one that was meant. */
function clickStep(action: DesktopAction, aimed: Aimed, around: Around, { button, count }: Click): Step {
  const offered = around.tools.get("click");
  const hasButtons = offered?.has("button") === true;
  const hasCount = offered?.has("count") === true;
  const alone =
    button === "right" && !hasButtons ? "right_click" : count === 2 && !hasCount ? "double_click" : undefined;
  if (button === "middle" && !hasButtons)
    throw new DriverFailure("answered", "the driver cannot click with the middle button");
  const tool = alone ?? "click";
  const args = {
    ...pointArgs(aimed, around.tools.get(tool)),
    ...(alone === undefined && hasButtons ? { button } : {}),
    ...(alone === undefined && hasCount ? { count } : {}),
    ...modifiersOf(action, around, tool),
    ...targetArgs(aimed, around),
  };
  return { tool, args };
}

/** An element by its number where the driver knows it so, else its middle. */
function pointArgs({ at }: Aimed, offered: ReadonlySet<string> | undefined): Args {
  if (at === undefined) return {};
  if (at.element !== undefined && offered?.has("element") === true) return { element: at.element.index };
  return { x: at.at[0], y: at.at[1] };
}

const dragArgs = ({ at, to }: Aimed): Args => ({
  from_x: at?.at[0],
  from_y: at?.at[1],
  to_x: to?.at[0],
  to_y: to?.at[1],
});

function modifiersOf({ modifiers = [] }: DesktopAction, { tools }: Around, tool: string): Args {
  if (modifiers.length === 0) return {};
  if (tools.get(tool)?.has("modifiers") !== true)
    throw new DriverFailure("answered", `the driver cannot hold keys during ${tool}; leave modifiers out`);
  return { modifiers: [...new Set(modifiers.flatMap(readKeys))] };
}

/** Text that is meant for an element: a click there first. */
function typeSteps(action: DesktopAction, aimed: Aimed, around: Around): readonly Step[] {
  const text = action.text ?? "";
  const typed: Step = {
    tool: "type_text",
    args: { text, ...targetArgs(aimed, around) },
    ms: CALL_MS + text.length * TYPED_MS,
  };
  return aimed.at === undefined
    ? [typed]
    : [clickStep({ action: "click" }, aimed, around, { button: "left", count: 1 }), typed];
}

function keyStep(keys: string, known: Args): Step {
  const names = readKeys(keys);
  const [only = ""] = names;
  return names.length === 1
    ? { tool: "press_key", args: { key: only, ...known } }
    : { tool: "hotkey", args: { keys: names, ...known } };
}
