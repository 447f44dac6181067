import path from 'node:path'
import type { Readable } from 'node:stream'
import * as z from 'zod/mini'
import { hasRow, requireRow, type Database, type Tx } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import type { Env } from '../env.ts'
import { toTheEnd } from '../failures.ts'
import { folderStore } from './folder.ts'
import { tops } from './keys.ts'
import { isOpenToOthers, makeTreePrivate } from './private.ts'
import { s3Store } from './s3.ts'
import { scratchIn, type Scratch } from './scratch.ts'
import {
  absent,
  noObject,
  storeKinds,
  type ByteRange,
  type Store,
  type StoredObject,
  type StoreKind,
} from './store.ts'

/** Which store holds the files of this installation, and which one held them before and may still hold some. */
const Holding = z.object({ kind: z.enum(storeKinds), former: z.nullable(z.enum(storeKinds)) })
export type Holding = z.infer<typeof Holding>

/** Files of the installation, whichever store holds them. What is read is looked for in the store that holds, then in the former one. */
export type Storage = {
  /** Returns the store that new files go to, as the database says now. */
  main(): Promise<Store>
  /** Returns the store of that kind. Throws a sentence where this process has no settings for it. */
  of(kind: StoreKind): Store
  head(key: string): Promise<StoredObject | undefined>
  /** Throws `noObject` where there is none. */
  read(key: string, range?: ByteRange): Promise<Readable>
  /** Brings an object to a new file of this machine, which nobody may write to. */
  copyTo(key: string, file: string): Promise<void>
  /** Signs an address of the store that has the object; undefined where that is a folder. */
  sign(key: string): Promise<string | undefined>
  removeBelow(prefix: string): Promise<void>
  /** Holds the answer of `main` until the transaction ends; false when another store holds meanwhile, and what was written has to move. */
  holds(tx: Tx, store: Store): Promise<boolean>
  scratch: Scratch
  /** Closes what lies in the folder to all other users of the machine, where an earlier version has left it open. */
  closeToOthers(): Promise<void>
  close(): Promise<void>
}

/** This process does not see the files of the installation; the message says what to do. */
export class PlaceError extends Error {
  override name = 'PlaceError'
}

export const readHolding = (tx: Tx): Promise<Holding> =>
  requireRow(tx, Holding, sql`select kind, former_kind as former from file_stores`)

type PlaceChange = { kind: StoreKind; place: string; formerKind: StoreKind; formerPlace: string | null }

/** From the commit on, new files go to another store. Whoever has begun to store one hears of it from `holds`. */
export async function changePlace(
  tx: Tx,
  { kind, place, formerKind, formerPlace }: PlaceChange,
): Promise<void> {
  await tx.execute(
    sql`update file_stores set kind = ${kind}, place = ${place}, former_kind = ${formerKind}, former_place = ${formerPlace}`,
  )
}

/** From the commit on, nothing is looked for any more where files were before. */
export async function forgetFormerPlace(tx: Tx): Promise<void> {
  await tx.execute(sql`update file_stores set former_kind = null, former_place = null`)
}

export function openStorage(env: Pick<Env, 'dataDir' | 's3'>, db: Database): Storage {
  const folder = folderStore(env.dataDir)
  const bucket = env.s3 && s3Store(env.s3)
  const scratchRoot = path.join(env.dataDir, 'scratch')
  const scratch = scratchIn(scratchRoot, db)
  let known: Holding | undefined

  const asked = async () => (known = await readHolding(db.single))

  function of(kind: StoreKind): Store {
    if (kind === 'folder') return folder
    if (bucket) return bucket
    throw new PlaceError(
      'The files of this installation lie in an S3-compatible store: set S3_BUCKET and what it needs.',
    )
  }

  /** Asks one store after the other. A miss may come of a move since the database was asked last, so then it is asked once more. */
  async function find<T>(look: (store: Store) => Promise<T | undefined>): Promise<T | undefined> {
    const before = known ?? (await asked())
    const found = await findIn(before, look)
    if (found !== undefined) return found
    const now = await asked()
    return now.kind === before.kind && now.former === before.former ? undefined : findIn(now, look)
  }

  async function required<T>(key: string, look: (store: Store) => Promise<T>): Promise<T> {
    const found = await find((store) => look(store).catch(absent(undefined)))
    if (found === undefined) throw noObject(key)
    return found
  }

  async function findIn<T>(holding: Holding, look: (store: Store) => Promise<T | undefined>) {
    return (await look(of(holding.kind))) ?? (holding.former === null ? undefined : look(of(holding.former)))
  }

  return {
    main: async () => of((await asked()).kind),
    of,
    head: (key) => find((store) => store.head(key)),
    read: (key, range) => required(key, (store) => store.read(key, range)),
    sign: (key) =>
      find(async (store) => (store.sign && (await store.head(key)) ? store.sign(key) : undefined)),
    async copyTo(key, file) {
      await required(key, (store) => store.copyTo(key, file).then(() => true))
    },
    async removeBelow(prefix) {
      const { kind, former } = await asked()
      // In this order, so that whoever copies from one to the other sees that it is gone.
      if (former !== null) await of(former).removeBelow(prefix)
      await of(kind).removeBelow(prefix)
    },
    holds: (tx, store) => hasRow(tx, sql`select 1 from file_stores where kind = ${store.kind} for share`),
    scratch,
    async closeToOthers() {
      const folders = [...tops.map((top) => path.join(env.dataDir, top)), scratchRoot]
      await toTheEnd(
        folders.map((one) => async () => {
          if (await isOpenToOthers(one)) await makeTreePrivate(one)
        }),
      )
    },
    async close() {
      bucket?.close()
      await scratch.close()
    },
  }
}
