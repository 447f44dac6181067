/** Only this number of statements is kept, because each costs memory in every connection, here and in the database. */
const mostNames = 200
const longestText = 20_000

/** This stands at the beginning of a statement that is one of few, and costs much to plan. It gets its name when it is seen first. */
export const oneOfFew = '/* one of few */'

/**
 * This stands at the beginning of a statement whose best plan depends on the values that it is asked with, such as a word that everybody
 * has in the name and one that nobody has. It gets no name, and so is planned each time.
 */
export const forItsValues = '/* for its values */'

/**
 * Names statements by their text, so that a connection prepares each of them once. A text gets its name when it is seen for the second
 * time, so that texts which vary without end (lists spread into parameters) find no room here.
 */
export function statementNames(): (text: string) => string | undefined {
  const names = new Map<string, string>()
  const seenOnce = new Set<string>()
  return (text) => {
    const known = names.get(text)
    if (text.startsWith(forItsValues)) return undefined
    if (known !== undefined || names.size >= mostNames || text.length > longestText) return known
    if (!seenOnce.delete(text) && !text.startsWith(oneOfFew)) {
      if (seenOnce.size >= mostNames) seenOnce.clear()
      seenOnce.add(text)
      return undefined
    }
    const name = `s${names.size}`
    names.set(text, name)
    return name
  }
}
