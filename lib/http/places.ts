/** Places that are taken and left: what comes when all are taken is turned away. */
export interface Places {
  readonly max: number;
  /** Take one; the result releases it, harmless twice. Undefined when all are taken. */
  take(): (() => void) | undefined;
}

/** Free places; `max` is asked for each time one is wanted. */
export function createPlaces(max: () => number): Places {
  let taken = 0;
  return {
    get max() {
      return max();
    },
    take: () => {
      if (taken >= max()) return undefined;
      taken += 1;
      let mine = true;
      return () => {
        if (mine) taken -= 1;
        mine = false;
      };
    },
  };
}
