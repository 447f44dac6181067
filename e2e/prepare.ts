import { rm } from 'node:fs/promises'
import os from 'node:os'
import { sweepRuns } from '#server/testing/setup.ts'
import { openFolder, PREPARED, startProduct } from './product.ts'

/** Starts the product once in an empty folder, so that each file of tests copies what that leaves instead of waiting for it again. */
export default async function prepare(): Promise<() => Promise<void>> {
  sweepRuns(os.tmpdir())
  const folder = await openFolder()
  const product = await startProduct({ DATA_DIR: folder })
  await product.stop()
  process.env[PREPARED] = folder
  return () => rm(folder, { recursive: true, force: true })
}
