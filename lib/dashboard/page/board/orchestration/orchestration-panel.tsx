/** The settings behind the pill; stands folded under the header of the board. */
export function OrchestrationPanel() {
  return null;
}
