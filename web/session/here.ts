/** The present page, to come back to. */
export function here(): string {
  return location.pathname + location.search
}
