/** What `look` finds, as soon as it finds something. */
export async function until<T>(look: () => Promise<T | false | undefined>, seconds = 90): Promise<T> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`did not come true within ${seconds} seconds`)
}

/**
 * What `look` finds at one of so many looks, 50 ms apart. It says how soon something has to be: where the machine is busy, looks
 * take longer as well.
 */
export async function soon<T>(look: () => Promise<T | false | undefined>, looks: number): Promise<T> {
  for (let n = 0; n < looks; n += 1) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`did not come true in ${looks} looks`)
}
