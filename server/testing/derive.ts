import type { Database } from '../platform/db/client.ts'
import { drain } from '../platform/derived/keys.ts'
import { derivedFigures } from '../worker.ts'

/** Works out everything that is derived and has changed, as the worker does. */
export async function deriveAll(db: Database): Promise<void> {
  for (const figure of derivedFigures) await drain(db, figure)
}
