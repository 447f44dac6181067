/** What `look` finds, as soon as it finds something. */
export async function until<T>(look: () => Promise<T | false | undefined>, seconds = 90): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`did not come true within ${seconds} seconds`)
}
