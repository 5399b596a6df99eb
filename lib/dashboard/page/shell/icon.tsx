/** Paths of 16 x 16 icons, drawn with strokes. */
const PATHS = {
  sun: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6ZM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7Z",
  contrast: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 2v12M10 3.5v9M12 5v6",
  plus: "M8 3v10M3 8h10",
  close: "M4 4l8 8M12 4l-8 8",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9ZM10.5 10.5 14 14",
  refresh: "M13 8a5 5 0 1 1-1.5-3.5M13 2v3h-3",
  play: "M5 3.5v9l7-4.5Z",
  pause: "M5.5 3.5v9M10.5 3.5v9",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  check: "M3 8.5 6.5 12 13 4.5",
  warning: "M8 2.5 14.5 13.5h-13ZM8 6.5v3M8 11.5v.01",
  comment: "M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2Z",
  link: "M6.5 9.5l3-3M7.5 4.5l1-1a2.8 2.8 0 0 1 4 4l-1 1M8.5 11.5l-1 1a2.8 2.8 0 0 1-4-4l1-1",
  branch:
    "M4.5 5v6M4.5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM4.5 14a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM11.5 6c0 3-7 2-7 4",
  trash: "M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.5 9h6l.5-9M6.7 7v4M9.3 7v4",
  archive: "M2.5 3.5h11v3h-11ZM3.5 6.5v6h9v-6M6.5 9h3",
  chevron: "M5 6.5 8 9.5l3-3",
  clock: "M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2ZM8 5v3l2 1.5",
  help: "M6 6a2 2 0 1 1 3 1.8c-.7.4-1 .8-1 1.7M8 12v.01M8 1.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13Z",
} as const;

/** Name of an icon. */
export type IconName = keyof typeof PATHS;

/** An icon. It says nothing by itself: what stands beside it, or the label of its button, does. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
