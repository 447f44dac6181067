/** Each kept statement costs memory in every connection, here and in the database. */
const mostNames = 200
const longestText = 10_000

/**
 * Names statements by their text, so that a connection prepares each of them once. A text gets its name when it is seen for the
 * second time: those that vary without end (lists spread into parameters) find no room here.
 */
export function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const seenOnce = new Set<string>()
  return (text) => {
    const known = names.get(text)
    if (known !== undefined || names.size >= mostNames || text.length > longestText) return known
    if (!seenOnce.delete(text)) {
      if (seenOnce.size >= mostNames) seenOnce.clear()
      seenOnce.add(text)
      return undefined
    }
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
}
