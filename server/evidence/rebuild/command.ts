import { withDatabase } from '../../platform/db/with-database.ts'
import { readEnv } from '../../platform/env.ts'
import type { Rebuilt } from '../../tracking/rebuild.ts'
import { rebuildAll } from './rebuild.ts'

/**
 * Runs `npm run rebuild-evidence`. Its exit code is 0 when every figure was as the raw log has it, and 1 when some were not and are now.
 */
async function main(): Promise<void> {
  const sum = { videos: 0, sessions: 0, stored: 0, changed: 0 }
  console.log('Computing all figures of viewing anew from the raw log, one video after another.')
  await withDatabase(readEnv(), (db) =>
    rebuildAll(db, ({ n, of, videoId, ...done }) => {
      console.log(`${n} of ${of}: video ${videoId}, ${sentenceOf(done)}`)
      sum.videos += 1
      sum.sessions += done.sessions
      sum.stored += done.stored
      sum.changed += Number(done.differences.length > 0)
    }),
  )
  console.log(`Done: ${count(sum.sessions, 'session')} of ${count(sum.videos, 'video')} computed anew.`)
  if (sum.stored > 0)
    console.log(
      `${count(sum.stored, 'session')} kept as stored: the raw log no longer has all of their reports.`,
    )
  console.log(
    sum.changed === 0
      ? 'Every figure was right.'
      : `${count(sum.changed, 'video')} had figures that were not as the raw log has them. They are now.`,
  )
  process.exitCode = sum.changed === 0 ? 0 : 1
}

const count = (n: number, what: string) => `${n.toLocaleString('en-US')} ${n === 1 ? what : `${what}s`}`

function sentenceOf({ sessions, stored, differences }: Rebuilt): string {
  const stayed = stored > 0 ? `, ${stored} kept as stored` : ''
  const wrong = differences.map(({ table, rows }) => `${rows} in ${table}`).join(', ')
  return `${count(sessions, 'session')}${stayed}: ${wrong === '' ? 'no difference' : `rows that differ: ${wrong}`}`
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 2
})
