/** Actions that need panes. Line mode has none: the terminal itself scrolls. */
export const OF_PANES = /^(pane|focus|list|zoom|layout|mouse)\b/;
