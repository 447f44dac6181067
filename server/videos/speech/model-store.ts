import { createHash, randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod/mini'
import type { SpeechModel } from '#contract/videos/speech-model.ts'
import { modelPiece } from '#contract/videos/speech-model.ts'
import { headBytes, readModelHead } from '../../media/speech/model-head.ts'
import { eachApart } from '../../platform/aside.ts'
import { arrayOf, hasRow, row, type Tx } from '../../platform/db/client.ts'
import { sql } from '../../platform/db/sql.ts'
import { refuse } from '../../platform/errors.ts'
import type { Services } from '../../platform/http/services.ts'
import { modelPrefix } from '../../platform/storage/keys.ts'
import { storeKinds, type StoredObject } from '../../platform/storage/store.ts'

/** One that has arrived, or is to. */
const StoredModel = z.object({
  id: z.string(),
  name: z.string(),
  size: z.number(),
  sha256: z.nullable(z.string()),
  store: z.enum(storeKinds),
  storeId: z.string(),
  arrived: z.number(),
  parts: z.array(z.object({ number: z.number(), etag: z.string() })),
})
type StoredModel = z.infer<typeof StoredModel>

type State = 'arriving' | 'ready'
type Needs = Pick<Services, 'db' | 'storage'>

export const modelKey = (id: string): string => `${modelPrefix}${id}`

export function storedModel(tx: Tx, state: State, lock = false): Promise<StoredModel | undefined> {
  return row(
    tx,
    StoredModel,
    sql`select id, name, size::float8 as size, sha256, store, store_id as "storeId", arrived::float8 as arrived, parts
      from speech_models where state = ${state} ${lock ? sql`for update` : sql``}`,
  )
}

/** Which model recognises speech here: the operator's where one is named, else the one that was sent. */
export async function modelOf(
  { env }: Pick<Services, 'env'>,
  tx: Tx,
): Promise<(SpeechModel['model'] & { id: string | null }) | null> {
  const { whisper } = env
  const base = { isThere: null }
  if (whisper)
    return {
      ...base,
      source: 'operator',
      name: nameOf(whisper.file),
      file: whisper.file,
      sha256: whisper.sha256,
      id: null,
    }
  const stored = await storedModel(tx, 'ready')
  if (!stored || stored.sha256 === null) return null
  const { id, name, sha256 } = stored
  return { ...base, source: 'uploaded', name: nameOf(name), file: null, sha256, id }
}

const nameOf = (file: string) => (file.split(/[\\/]/).at(-1) ?? file).replace(/\.bin$/i, '')

type Announced = { name: string; size: number; sha256: string | undefined }

/** In place of what was begun before. */
export async function beginModel({ storage }: Needs, tx: Tx, announced: Announced): Promise<void> {
  await dropModels(tx, 'arriving')
  const id = randomUUID()
  const store = await storage.main()
  const { id: storeId } = await store.uploads.begin(modelKey(id))
  const { name, size, sha256 = null } = announced
  await tx.execute(
    sql`insert into speech_models (state, id, name, size, sha256, store, store_id)
      values ('arriving', ${id}, ${name}, ${size}, ${sha256}, ${store.kind}, ${storeId})`,
  )
}

/**
 * Keeps a piece. Refuses one that begins elsewhere than the last one has ended, and a file that is no model. The piece that ends a model
 * may come again: whoever took it may have died before the model was put in place.
 */
export async function takePiece(
  { storage }: Needs,
  tx: Tx,
  { offset, body }: { offset: number; body: Buffer },
): Promise<StoredModel> {
  const model = await storedModel(tx, 'arriving', true)
  if (!model) throw refuse('not_found')
  const { id, size, arrived, store, storeId, parts } = model
  const isLast = offset + body.length === size
  if (isLast && arrived === size) return model
  if (offset !== arrived || (!isLast && body.length !== modelPiece) || offset + body.length > size)
    throw refuse('conflict', { reason: { code: 'model_piece_elsewhere' } })
  if (offset === 0 && !readModelHead(body.subarray(0, headBytes)))
    throw refuse('conflict', { reason: { code: 'not_a_speech_model' } })
  const number = parts.length + 1
  const target = { key: modelKey(id), id: storeId }
  const etag = await storage.of(store).uploads.write(target, { number, offset, body })
  const kept = [...parts, { number, etag }]
  await tx.execute(
    sql`update speech_models set arrived = ${offset + body.length}, parts = ${JSON.stringify(kept)}::jsonb where id = ${id}`,
  )
  return { ...model, arrived: offset + body.length, parts: kept }
}

/** Makes one object of the pieces and says what its checksum is. */
export async function completeModel({ storage }: Needs, model: StoredModel): Promise<string> {
  const key = modelKey(model.id)
  const { parts, size, storeId } = model
  await storage.of(model.store).uploads.complete({ key, id: storeId }, { parts, size })
  const hash = createHash('sha256')
  await pipeline(await storage.of(model.store).read(key), hash)
  return hash.digest('hex')
}

const Held = z.object({ state: z.enum(['arriving', 'ready']) })

/** From here on it is the one that is used; the one before is gone. Refuses where another one was begun meanwhile. */
export async function useModel(tx: Tx, { id, sha256 }: { id: string; sha256: string }): Promise<void> {
  const held = await row(tx, Held, sql`select state from speech_models where id = ${id} for update`)
  if (!held) throw refuse('conflict', { reason: { code: 'model_piece_elsewhere' } })
  if (held.state === 'ready') return
  await dropModels(tx, 'ready')
  await tx.execute(
    sql`update speech_models set state = 'ready', sha256 = ${sha256}, parts = '[]' where id = ${id}`,
  )
}

/** Forgets them. What they held in a store goes once that is committed, by `sweepModels` and by the sweep of uploads. */
export async function dropModels(tx: Tx, ...states: State[]): Promise<number> {
  const { rowCount } = await tx.execute(
    sql`delete from speech_models where state = any(${arrayOf(states, 'text')})`,
  )
  return rowCount ?? 0
}

/** Removes the files of models that are forgotten. A file is whole only after its model was committed, so none is taken for forgotten too early. */
export async function sweepModels({ db, storage }: Needs): Promise<void> {
  const store = await storage.main()
  const nameOf = ({ key }: StoredObject) => ({ item: key })
  const found = await Readable.from(store.list(modelPrefix)).toArray()
  await eachApart({ db, loop: 'housekeeping', nameOf }, found, async ({ key }: StoredObject) => {
    const id = key.slice(modelPrefix.length)
    if (!(await hasRow(db.single, sql`select 1 from speech_models where id::text = ${id}`)))
      await storage.removeBelow(key)
  })
}
