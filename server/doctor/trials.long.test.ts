import { chmod, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { wordsOf } from '#contract/doctor/doctor-words.ts'
import { startPatient } from '../testing/doctor.ts'
import { openFolder } from '../testing/processes/process.ts'
import { secret } from '../testing/server.ts'

const patient = await startPatient()
const { server, folder, doctor } = patient
afterAll(() => patient.close())

test('what the program does with its machine is done once: a lock, a job, a file, a second of video', async () => {
  const { findings: reported } = await doctor({ SECRET_KEY: secret })
  expect(reported.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['locks_hold', 'jobs_done', 'storage_works', 'converter_there']),
  )
  const left = await server.query(`select state from pgboss.job where name = 'doctor.trial' group by state`)
  expect(left).toEqual([{ state: 'completed' }])
  expect((await readdir(folder)).filter((name) => name.startsWith('.check'))).toEqual([])
})

test('work that has failed in the background is told with what it failed of', async () => {
  const { db } = server.services
  await db.system.query(
    `insert into pgboss.job (name, data, state, retry_limit, retry_count, completed_on, output)
      values ('housekeeping', '{}', 'failed', 1, 1, now(), '{"message":"The clouds fell down."}')`,
  )
  const { code, findings: reported } = await doctor({ SECRET_KEY: secret })
  await db.system.query(`delete from pgboss.job where state = 'failed'`)
  expect(code).toBe(0)
  expect(reported).toContainEqual(
    expect.objectContaining({
      check: 'jobs',
      state: 'attention',
      code: 'jobs_failed',
      values: { count: '1', message: 'The clouds fell down' },
    }),
  )
})

test('why a program that FFMPEG_PATH names is not used is said, and what converts in its place', async () => {
  const separate = await openFolder()
  const script = path.join(separate, 'a script')
  await writeFile(script, '#!/bin/sh\nexec /nowhere/ffmpeg "$@"\n')
  const named = async (program: string) => {
    const { code, findings: reported } = await doctor({ SECRET_KEY: secret, FFMPEG_PATH: program })
    const words = reported.filter(({ check }) => check === 'converter').map((one) => wordsOf(one).says)
    return { code, words: words.slice(0, 2) }
  }
  const bundled = 'Videos are converted by node-av: a second of one was, just now.'
  const refused = (fault: string) => ({ code: 1, words: [bundled, `FFMPEG_PATH names ${fault}.`] })
  expect(await named('/bin/true')).toEqual(
    refused('/bin/true, which converts nothing here (it ended without having made a video)'),
  )
  expect(await named(path.join(folder, 'none'))).toEqual(
    refused(`${path.join(folder, 'none')}, which is not there`),
  )
  expect(await named('no-such-program')).toEqual(refused('no-such-program, which is in no folder of PATH'))
  expect(await named(folder)).toEqual(
    refused(`${folder}, which is a folder, and the program in it has to be named`),
  )
  expect(await named(script)).toEqual(refused(`${script}, which may not be run by the user of this server`))
  await chmod(script, 0o755)
  expect((await named(script)).words[1]).toMatch(
    /converts nothing here \(ffmpeg stopped with 12[67]: .*\/nowhere\/ffmpeg/,
  )
  await rm(separate, { recursive: true })
})
