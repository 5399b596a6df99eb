/**
 * How many rows of a platform are open at most, kept without a count for every event: rows that are stored are added, and rows that end are not
 * taken off before the next count. So it is never less than what is there, and a count is due only where it comes near the bound.
 */
export interface InboxQuota {
  /** Whether so many more rows are certainly within the bound. They hold their place until `stored`. */
  take(platform: string, rows: number): boolean;
  /** Of `rows` that held their place so many are there now. */
  stored(platform: string, rows: number, made: number): void;
  /** Begin a count. @returns takes what it found, together with the rows that were stored along with it */
  counting(platform: string): (open: number) => void;
}

interface Places {
  /** Infinite before the first count. */
  open: number;
  /** Of rows that are being stored. */
  held: number;
  /** Rows that were stored since the start. */
  made: number;
}

export function createInboxQuota(limit: number): InboxQuota {
  const platforms = new Map<string, Places>();
  const of = (platform: string): Places => {
    const places = platforms.get(platform) ?? { open: Number.POSITIVE_INFINITY, held: 0, made: 0 };
    platforms.set(platform, places);
    return places;
  };
  return {
    take: (platform, rows) => {
      const places = of(platform);
      if (places.open + places.held + rows > limit) return false;
      places.held += rows;
      return true;
    },
    stored: (platform, rows, made) => {
      const places = of(platform);
      places.held -= rows;
      places.open += made;
      places.made += made;
    },
    counting: (platform) => {
      const places = of(platform);
      const before = places.made;
      return (open) => {
        places.open = open + places.made - before;
      };
    },
  };
}
