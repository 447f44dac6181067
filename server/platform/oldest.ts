/** Takes the entries that were put in first out of a map until it has at most this many. */
export function forgetOldest(map: Map<string, unknown>, most: number): void {
  // To look for the oldest is to go past all that were taken out and put back since the map was last laid out anew.
  if (map.size <= most) return
  for (const oldest of map.keys()) {
    if (map.size <= most) break
    map.delete(oldest)
  }
}
