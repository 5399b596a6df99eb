import type { PermissionList } from "../../../lib/contracts/config/permissions.js";
import type { Effect } from "../../model/messages.js";
import { type Binding, type Reducer, type State, showMessage, type Updated } from "../../model/state.js";
import { PERMISSIONS, type PermissionsOverlay } from "./state.js";

const LIST = "permissions.list";
const GONE = "permissions.gone";
const PAGE = 10;

const inPermissions =
  (change: (state: State, overlay: PermissionsOverlay) => Updated) =>
  (state: State): Updated =>
    state.overlay?.kind === "permissions" ? change(state, state.overlay) : [state, []];

const place = ({ cwd, session }: State) => ({
  cwd: cwd || "/",
  ...(session.id === undefined ? {} : { session_id: session.id }),
});
const ask = (state: State): Effect => ({
  do: "call",
  method: "permissions.list",
  params: place(state),
  to: LIST,
  reads: true,
});

export const openPermissions = (state: State): Updated => [{ ...state, overlay: PERMISSIONS }, [ask(state)]];

const reading = ({ overlay }: State): boolean => overlay?.kind === "permissions" && overlay.asking === undefined;

const moved = (to: (at: number, last: number) => number) =>
  inPermissions((state, overlay) => {
    const last = (overlay.list?.rules.length ?? 1) - 1;
    return [{ ...state, overlay: { ...overlay, at: Math.max(0, Math.min(last, to(overlay.at, last))) } }, []];
  });

/** A press marks a rule; while one is asked about it does nothing. */
export const pressed =
  (at: number) =>
  (state: State): Updated =>
    reading(state) ? moved(() => at)(state) : [state, []];

const revoking = inPermissions((state, overlay) => [
  { ...state, overlay: { ...overlay, asking: overlay.list?.rules[overlay.at] } },
  [],
]);

/** Only `r` removes the rule that is asked about. */
export function typedIn(state: State, overlay: PermissionsOverlay, text: string, pasted: boolean): Updated {
  const { asking } = overlay;
  if (asking === undefined || pasted) return [state, []];
  const next = { ...state, overlay: { ...overlay, asking: undefined } };
  if (!text.startsWith("r")) return [next, []];
  return [next, [{ do: "call", method: "permissions.revoke", params: { ...place(state), n: asking.n }, to: GONE }]];
}

/** A press on one of the answers: its letter. */
export const answered = (letter: string) => inPermissions((state, overlay) => typedIn(state, overlay, letter, false));

const escaped = inPermissions((state, overlay) => [
  { ...state, overlay: overlay.asking === undefined ? undefined : { ...overlay, asking: undefined } },
  [],
]);

const row = (id: string, keys: readonly string[], label: string, act: Binding["act"]): Binding => ({
  id: `permissions.${id}`,
  context: "permissions",
  keys,
  label,
  act,
  when: reading,
});

export const PERMISSIONS_KEYS: readonly Binding[] = [
  row("revoke", ["x"], "remove the rule", revoking),
  row("refresh", ["r"], "refresh", (state) => [state, [ask(state)]]),
  row(
    "up",
    ["up", "k"],
    "up",
    moved((at) => at - 1),
  ),
  row(
    "down",
    ["down", "j"],
    "down",
    moved((at) => at + 1),
  ),
  row(
    "pageUp",
    ["pageup"],
    "page up",
    moved((at) => at - PAGE),
  ),
  row(
    "pageDown",
    ["pagedown"],
    "page down",
    moved((at) => at + PAGE),
  ),
  row(
    "first",
    ["home", "g"],
    "first",
    moved(() => 0),
  ),
  row(
    "last",
    ["end", "G"],
    "last",
    moved((_at, last) => last),
  ),
  {
    id: "permissions.back",
    context: "permissions",
    keys: ["escape"],
    label: "back, close",
    hint: "Esc close",
    act: escaped,
  },
];

/** Rules are numbered again with every change: after one they are read again. */
export const permissionsReducer: Reducer = (state, message) => {
  const { overlay } = state;
  if (message.type !== "called" || overlay?.kind !== "permissions") return undefined;
  if (message.to === GONE)
    return [showMessage(state, message.ok ? "rule removed" : message.message, !message.ok), [ask(state)]];
  if (message.to !== LIST) return undefined;
  if (!message.ok) return [{ ...state, overlay: { ...overlay, error: message.message } }, []];
  const list = message.result as PermissionList; // the owner's answer to permissions.list
  return [
    {
      ...state,
      overlay: { ...overlay, list, error: "", at: Math.min(overlay.at, Math.max(0, list.rules.length - 1)) },
    },
    [],
  ];
};
