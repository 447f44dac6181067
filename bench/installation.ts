import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { login } from '#contract/identity/auth.ts'
import { createOrganization } from '#contract/directory/organizations.ts'
import { createUser } from '#contract/directory/users.ts'
import { readVideo } from '#contract/videos/videos.ts'
import { makeClip, type Clip } from '#server/testing/media/clips.ts'
import { entered } from '../server/testing/sign-in/entered.ts'
import { clientOf, passphrase, type Client } from '../e2e/client.ts'
import { announce } from '../e2e/upload.ts'
import { startBenchDatabase, type BenchDatabase } from './database.ts'
import { startProgram } from './program.ts'

/** The running product and its process, its first superadmin, its database, and a folder for files. */
export type Installation = {
  url: string
  pid: number
  client: Client
  database: BenchDatabase
  dataDir: string
}

/** Of the first superadmin; the password is that of the browser tests. */
export const superadminEmail = 'weigher@example.test'

/** Starts the product on an empty database for what `use` measures, and leaves nothing of it behind. */
export async function installed<Found>(
  use: (on: Installation) => Promise<Found>,
  environment: Record<string, string> = {},
): Promise<Found> {
  const database = await startBenchDatabase()
  const { dataDir } = database
  try {
    const passwordFile = path.join(dataDir, 'password')
    await writeFile(passwordFile, passphrase)
    const product = await startProgram(
      'server/main.ts',
      { ...environment, DATABASE_URL: database.url, DATA_DIR: path.join(dataDir, 'product') },
      ['--superadmin', superadminEmail, '--password-file', passwordFile],
    )
    try {
      const body = { identifier: superadminEmail, password: passphrase }
      const { token } = entered(await clientOf(product.url, '').call(login, { body }))
      const { url, pid } = product
      return await use({ url, pid, client: clientOf(url, token), database, dataDir })
    } finally {
      await product.stop()
    }
  } finally {
    await database.close()
  }
}

/** An organization with so many people. */
export async function addOrganization(
  { client }: Installation,
  name: string,
  people: number,
): Promise<string> {
  const organization = await client.call(createOrganization, { body: { name } })
  for (let n = 1; n <= people; n++)
    await client.call(createUser, {
      params: { orgId: organization.id },
      body: { name: `Person ${n}`, email: `person-${n}@weight.test` },
    })
  return organization.id
}

/** A short real video, taken through upload and processing. */
export async function addVideo(
  { url, client, dataDir }: Installation,
  organizationId: string,
  clip: Omit<Clip, 'file' | 'title'>,
): Promise<string> {
  const file = path.join(dataDir, 'clip.mp4')
  await makeClip({ ...clip, file, title: 'Weighed' })
  const upload = await announce({ url, client, organizationId }, file)
  await upload.send(upload.size)
  for (let tries = 0; tries < 480; tries++) {
    const { state } = await client.call(readVideo, { params: { videoId: upload.videoId } })
    if (state === 'ready') return upload.videoId
    if (state === 'failed') break
    await pause(500)
  }
  throw new Error('the sample video did not become ready')
}
