import { parseArgs } from 'node:util'
import { withDatabase } from '../platform/db/with-database.ts'
import { readEnv } from '../platform/env.ts'
import { requirePlace } from '../platform/storage/place.ts'
import { openStorage } from '../platform/storage/storage.ts'
import { storeKinds, type StoreKind } from '../platform/storage/store.ts'
import { settleTemporary } from '../platform/temporary.ts'
import { check } from './check.ts'
import { forgetFormer, moveTo } from './move.ts'

const usage = `Usage:
  npm run move -- --to s3        files go to the bucket of S3_BUCKET from now on, and those of DATA_DIR are copied there
  npm run move -- --to folder    the same to DATA_DIR
  npm run move -- --check        reads every file of every video, and compares
  npm run move -- --forget       removes the files from where they were before`

const kindOf = (text: string): StoreKind | undefined => storeKinds.find((kind) => kind === text)

/** Moves the files of the installation between a folder and a bucket, while people work. It can be ended at any point and run again. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      to: { type: 'string' },
      check: { type: 'boolean', default: false },
      forget: { type: 'boolean', default: false },
    },
  })
  const to = values.to === undefined ? undefined : kindOf(values.to)
  const chosen = [to !== undefined, values.check, values.forget].filter(Boolean).length
  if (chosen !== 1) throw new Error(usage)
  const env = readEnv()
  settleTemporary(env.dataDir)
  await withDatabase(env, async (db) => {
    const storage = openStorage(env, db)
    try {
      await requirePlace({ env, db, storage })
      const moving = { env, db, storage, say: console.log }
      if (to !== undefined) await moveTo(moving, to)
      else if (values.forget) await forgetFormer(moving)
      else await check(moving)
    } finally {
      await storage.close()
    }
  })
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
