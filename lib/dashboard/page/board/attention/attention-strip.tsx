/** What needs somebody, worst first, between the header of the board and its columns. */
export function AttentionStrip() {
  return null;
}
