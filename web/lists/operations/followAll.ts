import { listOperations } from '#contract/operations.ts'
import { call } from '#web/api/client.ts'
import { queryClient } from '#web/api/query.ts'

/** Milliseconds between two looks, and how many of them. */
const pause = 2_000
const looks = 300

/** After many operations were begun at once: all that is shown is read anew when none is at work any more. */
export async function followAll(): Promise<void> {
  for (let n = 0; n < looks; n += 1) {
    await new Promise((resolve) => {
      setTimeout(resolve, pause)
    })
    const working = await call(listOperations, { query: { show: 'working', limit: 1 } })
    if (working.total === 0) break
  }
  await queryClient.invalidateQueries()
}
