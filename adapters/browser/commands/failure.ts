import { shortText } from "./answer.js";

const NET: readonly (readonly [RegExp, string])[] = [
  [/ERR_NAME_NOT_RESOLVED/, "the host name is not known; check the address"],
  [
    /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
    "the server does not answer; check the address and the port",
  ],
  [/ERR_TIMED_OUT|ERR_CONNECTION_TIMED_OUT/, "the server did not answer in time; try again later"],
  [/ERR_CERT|ERR_SSL/, "the certificate of the server is not valid"],
  [/ERR_TOO_MANY_REDIRECTS/, "the page redirects for ever"],
  [/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED/, "there is no network"],
  [/ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY/, "the server cannot be reached"],
];

const ACTION: readonly (readonly [RegExp, string])[] = [
  [/element is not enabled/, "the element is disabled; fill in what it waits for first"],
  [/element was detached|not attached/, "the element has gone while it was acted upon; take the ref of a new snapshot"],
  [/element is not visible/, "the element is not visible; open or scroll to what holds it first"],
  [/did not find some options/, "there is no such option; the element's row names its options"],
  [/Element is not a <select>/i, "the element is not a select; click it, then click the option that appears"],
  [/Element is not an <input>/i, "the element takes no text; choose a textbox"],
  [/Unknown key/, "unknown key; use names such as Enter, Escape, Tab, ArrowDown, Control+a"],
  [/outside of the viewport/, "the element cannot be scrolled into view"],
];

/** The words of the driver without its log and colours. */
export function driverText(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.replace(/\u001b\[[0-9;]*m/g, "");
}

/** Why a navigation failed. */
export function navigationFailure(error: unknown): string {
  const text = driverText(error);
  const known = NET.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return `${/net::\w+/.exec(text)?.[0] ?? "failed"}: ${known[1]}`;
  if (/Timeout/.test(text)) return "the page did not load in time; try again, or take a snapshot of what is there";
  return firstLine(text);
}

/** Why an action on an element failed, and what to do. */
export function actionFailure(error: unknown): string {
  const text = driverText(error);
  const over = /(<[^\n]{1,300}>[^\n]{0,200}) intercepts pointer events/.exec(text)?.[1];
  if (over !== undefined)
    return `the element is covered by ${shortText(over, 160)}; close or accept what covers it, or scroll, then repeat`;
  const known = ACTION.find(([pattern]) => pattern.test(text));
  if (known !== undefined) return known[1];
  if (/Timeout/.test(text)) return "the element did not become ready in time; take a new snapshot";
  return firstLine(text);
}

const firstLine = (text: string): string => shortText(text.split("\n")[0] ?? "", 300);
