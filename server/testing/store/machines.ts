import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { openTestServer, type TestServer } from '../server.ts'
import type { S3Place } from '../../platform/storage/s3.ts'
import type { Swift } from './swift.ts'

export type Machines = {
  /** The settings of the bucket, as a server is given them. */
  settings: Record<string, string>
  /** Another server of the same installation, with the bucket and a folder of its own that no other one sees. */
  open(): Promise<TestServer>
  close(): Promise<void>
}

/** As a program is given them. */
export const settingsOf = ({ endpoint = '', bucket, prefix, region, keys }: S3Place) => ({
  S3_ENDPOINT: endpoint,
  S3_BUCKET: bucket,
  S3_PREFIX: prefix,
  S3_REGION: region,
  S3_PATH_STYLE: '1',
  S3_ACCESS_KEY: keys?.accessKeyId ?? '',
  S3_SECRET_KEY: keys?.secretAccessKey ?? '',
})

/** Machines beside a server, on its database. */
export async function machinesOf(
  server: TestServer,
  swift: Swift,
  { bucket, endpoint = swift.endpoint }: { bucket: string; endpoint?: string },
): Promise<Machines> {
  const settings = settingsOf({ ...(await swift.bucket(bucket)), endpoint })
  const opened: TestServer[] = []
  const folders: string[] = []
  return {
    settings,
    async open() {
      const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendreel-machine-'))
      folders.push(dataDir)
      const machine = await openTestServer({ ownerUrl: server.ownerUrl, dataDir }, settings)
      opened.push(machine)
      return machine
    },
    async close() {
      for (const machine of opened) await machine.close()
      for (const folder of folders) await rm(folder, { recursive: true, force: true })
    },
  }
}
