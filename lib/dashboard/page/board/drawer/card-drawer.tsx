/** Everything about one task, beside the columns. It stands open as long as the address names a task; `#/board` closes it. */
export function CardDrawer(_: { id: string }) {
  return null;
}
