import type { DesktopElement } from "../contracts/desktop/driver.js";

/** Characters of a label or title. What programs show may be of any length. */
const LABEL_CHARS = 200;

/** What a program shows, as one line without control characters. */
export function shownLabel(text: string): string {
  const line = text
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
    .trim()
    .toWellFormed();
  return [...line].slice(0, LABEL_CHARS).join("");
}

/** A capture in words. */
export interface CaptureFacts {
  readonly mode: "som" | "vision" | "ax";
  readonly width: number;
  readonly height: number;
  /** "" is the whole screen. */
  readonly app: string;
  readonly title: string;
  readonly snapshot?: string | number | undefined;
  /** As many as are shown. */
  readonly elements: readonly DesktopElement[];
  readonly total: number;
}

const nameOf = ({ app, title }: CaptureFacts): string =>
  app === "" ? "the whole screen" : `${shownLabel(app)}, window ${JSON.stringify(shownLabel(title))}`;

const summaryOf = (facts: CaptureFacts): string =>
  `${facts.mode} capture of ${nameOf(facts)}: ${facts.width}x${facts.height} px, ${facts.total} element${facts.total === 1 ? "" : "s"}`;

/** Mode, size, program, window, and a line per element. */
export function captureText(facts: CaptureFacts): string {
  const rest = facts.total - facts.elements.length;
  const lines = facts.elements.map(
    ({ index, role, label, app }) =>
      `#${index} ${shownLabel(role)} ${JSON.stringify(shownLabel(label))} @ ${shownLabel(app ?? facts.app)}`,
  );
  const more = rest > 0 ? [`(${rest} more elements; raise max_elements to list them)`] : [];
  return [summaryOf(facts), ...lines, ...more].join("\n");
}

/** The same as JSON, without a picture. */
export function captureJson(facts: CaptureFacts, factor: number): Readonly<Record<string, unknown>> {
  const { mode, width, height, app, title, elements, total, snapshot } = facts;
  const scaled = (value: number): number => Math.round(value / factor);
  return {
    mode,
    width,
    height,
    app: shownLabel(app),
    window_title: shownLabel(title),
    elements: elements.map((one) => ({
      index: one.index,
      role: shownLabel(one.role),
      label: shownLabel(one.label),
      app: shownLabel(one.app ?? app),
      x: scaled(one.x),
      y: scaled(one.y),
      width: scaled(one.width),
      height: scaled(one.height),
    })),
    total_elements: total,
    ...(total > elements.length ? { truncated_elements: total - elements.length } : {}),
    ...(snapshot === undefined ? {} : { snapshot_id: snapshot }),
    summary: summaryOf(facts),
  };
}
